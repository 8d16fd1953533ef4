"""The learners, a folder each, over one `base`; `registry` names them all."""
