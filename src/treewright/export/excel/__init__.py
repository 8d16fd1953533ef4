"""A tree as an Excel workbook: its rules, a sheet that scores, and a sheet that checks itself."""
