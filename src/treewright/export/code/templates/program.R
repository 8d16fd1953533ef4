  # The interpreter: a node is a list of rules, asked in order; a rule whose value is missing fails. All rows take a step
  # together. Tables count from 0, R counts from 1. Sums are added one by one: sum() and rowSums() use more digits.
  BELOW <- 0L; ABOVE <- 1L; MEMBER <- 2L; KNOWN <- 3L; SUM_BELOW <- 4L
  answers <- matrix(answer, ncol = WIDTH, byrow = TRUE)

  true_at <- function(test) !is.na(test) & test

  # Adds the terms from `first` up to `last` to `total`, row by row; `unknown` is the share of those without a value.
  add_terms <- function(total, first, last, row, x, only_finite) {
    unknown <- numeric(length(total))
    open <- which(first < last)
    while (length(open)) {
      term <- first[open] + 1L
      value <- x[cbind(row[open], term_column[term] + 1L)]
      if (only_finite) value[!is.finite(value)] <- NaN
      gone <- is.na(value)
      known <- ifelse(term_level[term] == 0L, term_weight[term] * value, ifelse(value == term_level[term], term_weight[term], 0))
      total[open] <- total[open] + ifelse(gone, term_filler[term], known)
      unknown[open] <- unknown[open] + ifelse(gone, term_share[term], 0)
      first[open] <- first[open] + 1L
      open <- open[first[open] < last[open]]
    }
    list(total = total, unknown = unknown)
  }

  is_member <- function(set, value) {
    low <- set_start[set + 1L]
    end <- high <- set_start[set + 2L]
    repeat {
      open <- which(low < high)
      if (!length(open)) break
      middle <- (low[open] + high[open]) %/% 2L
      small <- set_code[middle + 1L] < value[open]
      low[open] <- ifelse(small, middle + 1L, low[open])
      high[open] <- ifelse(small, high[open], middle)
    }
    found <- low < end
    found[found] <- set_code[low[found] + 1L] == value[found]
    found
  }

  rules_hold <- function(rule, row, x) {
    kind <- rule_kind[rule + 1L]
    number <- rule_number[rule + 1L]
    holds <- logical(length(rule))
    plain <- which(kind < SUM_BELOW)
    value <- x[cbind(row[plain], rule_column[rule[plain] + 1L] + 1L)]
    plain <- plain[!is.na(value)]
    value <- value[!is.na(value)]
    kinds <- kind[plain]
    holds[plain] <- (kinds == BELOW & true_at(value <= number[plain])) | (kinds == ABOVE & true_at(value > number[plain])) | kinds == KNOWN
    member <- which(kinds == MEMBER)
    holds[plain[member]] <- is_member(as.integer(number[plain[member]]), value[member])
    sums <- which(kind >= SUM_BELOW)
    if (length(sums)) {
      at <- as.integer(number[sums])
      sum <- add_terms(numeric(length(sums)), sum_start[at + 1L], sum_start[at + 2L], row[sums], x, FALSE)
      below <- true_at(sum$total <= sum_cut[at + 1L])
      holds[sums] <- sum$unknown <= 0.5 & below == (kind[sums] == SUM_BELOW)
    }
    holds
  }

  # The next node of each row; -1 where it ends, less where it goes down several branches.
  next_nodes <- function(node, row, x) {
    after <- fallback[node + 1L]
    rule <- rule_start[node + 1L]
    last <- rule_start[node + 2L]
    open <- which(rule < last)
    while (length(open)) {
      holds <- rules_hold(rule[open], row[open], x)
      after[open[holds]] <- rule_child[rule[open[holds]] + 1L]
      open <- open[!holds]
      rule[open] <- rule[open] + 1L
      open <- open[rule[open] < last[open]]
    }
    after
  }

  node_numbers <- function(node, row, x) {
    said <- answers[answer_of[node + 1L] + 1L, , drop = FALSE]
    own <- which(equation_of[node + 1L] >= 0L)
    if (length(own)) {
      at <- equation_of[node[own] + 1L] + 1L
      total <- add_terms(equation_intercept[at], equation_start[at], equation_start[at + 1L], row[own], x, TRUE)$total
      total <- ifelse(is.na(total), said[own, 1L], total)
      total <- ifelse(total < equation_lowest[at], equation_lowest[at], total)
      said[own, 1L] <- ifelse(total > equation_highest[at], equation_highest[at], total)
    }
    said
  }

  # The pieces of rows that go down several branches.
  pieces_of <- function(list_of, row, share) {
    first <- piece_start[list_of + 1L]
    n <- piece_start[list_of + 2L] - first
    piece <- rep(first, n) + seq_len(sum(n)) - rep(cumsum(n) - n, n)
    list(row = rep(row, n), node = piece_child[piece], share = rep(share, n) * piece_share[piece])
  }

  # What a tree says to each row, and the node in which the row ends: -1 where it ends in several.
  ask_tree <- function(tree, x) {
    open <- list(row = seq_len(nrow(x)), node = rep(root[tree], nrow(x)), share = rep(1, nrow(x)))
    ended <- list()
    while (length(open$row)) {
      after <- next_nodes(open$node, open$row, x)
      ended[[length(ended) + 1L]] <- lapply(open, function(part) part[after == -1L])
      spread <- pieces_of(-2L - after[after < -1L], open$row[after < -1L], open$share[after < -1L])
      on <- after >= 0L
      open <- list(row = c(open$row[on], spread$row), node = c(after[on], spread$node), share = c(open$share[on], spread$share))
    }
    row <- unlist(lapply(ended, `[[`, "row"))
    node <- unlist(lapply(ended, `[[`, "node"))
    share <- unlist(lapply(ended, `[[`, "share"))
    order <- order(row, node)
    row <- row[order]; node <- node[order]
    said <- node_numbers(node, row, x) * share[order]
    first <- match(seq_len(nrow(x)), row)
    n <- tabulate(row, nrow(x))
    numbers <- said[first, , drop = FALSE]
    for (more in seq_len(max(n, 1L) - 1L)) {
      at <- which(n > more)
      numbers[at, ] <- numbers[at, , drop = FALSE] + said[first[at] + more, , drop = FALSE]
    }
    list(numbers = numbers, node = ifelse(n == 1L, node[first] - root[tree], -1L))
  }

  largest <- function(numbers) {
    best <- rep(1L, nrow(numbers))
    for (i in seq_len(ncol(numbers))) {
      above <- true_at(numbers[, i] > numbers[cbind(seq_along(best), best)])
      best[above] <- i
    }
    best
  }

  # e to the power of x = k ln 2 + r by the steps of the model: R's exp may have other last bits.
  power_of_e <- function(x) {
    inside <- pmin(pmax(x, -745.1332191019412), 709.782712893384)
    k <- floor(inside * 0x1.71547652b82fep+0 + 0.5)
    high <- inside - k * 0x1.62e42feep-1 # the first digits of ln 2: the product is exact
    low <- k * 0x1.a39ef35793c76p-33 # the next ones
    r <- high - low
    rest <- (high - r) - low
    series <- 0
    for (part in 1 / c(87178291200, 6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2))
       series <- series * r + part
    small <- rest + r * r * series
    above <- r + small
    rounded <- 1 + above
    power <- rounded + ((above - (rounded - 1)) + (small - (above - r)))
    half <- floor(k / 2)
    power <- power * 2^half * 2^(k - half)
    power[true_at(x < -745.1332191019412)] <- 0
    power[true_at(x > 709.782712893384)] <- Inf
    power
  }

  softmax <- function(numbers) {
    powers <- power_of_e(numbers - numbers[cbind(seq_len(nrow(numbers)), largest(numbers))])
    total <- numeric(nrow(numbers))
    for (i in seq_len(ncol(powers))) total <- total + powers[, i]
    powers / total
  }

  # What AdaBoost's votes mean: a class gets its share of the say, less what chance would give.
  samme <- function(votes) {
    others <- N_ANSWERS - 1
    if (others == 0) return(softmax(votes * 0))
    decision <- (votes * N_ANSWERS / ALL_VOTES - 1) / others
    if (N_ANSWERS > 2) return(softmax(decision / others))
    ahead <- decision[, 2L] - decision[, 1L]
    softmax(cbind(-ahead / 2, ahead / 2))
  }

  # From the sums over all trees to what the model answers.
  finish <- function(sums) {
    if (LINK == "samme") return(samme(sums))
    if (LINK == "mean") return(sums / N_TREES)
    if (LINK == "exp") return(power_of_e(sums))
    if (LINK == "softmax") return(softmax(sums))
    if (LINK != "logistic") return(sums)
    second <- ifelse(sums[, 1L] < -700, power_of_e(sums[, 1L]), 1 / (1 + power_of_e(-sums[, 1L])))
    cbind(1 - second, second, deparse.level = 0)
  }

  as_number <- function(value, unit) {
    days <- unit == "days"
    if (inherits(value, "Date")) return(as.numeric(value) * (if (days) 1 else 86400000000))
    if (inherits(value, "POSIXt")) value <- as.POSIXct(value)
    if (inherits(value, "difftime")) value <- as.numeric(value, units = "secs")
    else if (!inherits(value, "POSIXct")) return(as.numeric(value))
    if (days) as.numeric(value) / 86400 else round(as.numeric(value) * 1e6)
  }

  encode <- function(rows) {
    n <- if (is.data.frame(rows)) nrow(rows) else max(lengths(rows), 0L)
    x <- matrix(NaN, n, length(columns))
    for (i in seq_along(columns)) {
      column <- columns[[i]]
      value <- rows[[column$name]]
      if (is.null(value)) next
      if (is.null(column$levels)) x[, i] <- as_number(value, column$unit)
      else x[, i] <- match(if (is.character(column$levels) || is.factor(value)) as.character(value) else value, column$levels)
    }
    x
  }

  ask <- function(rows, type) {
    x <- encode(rows)
    sums <- matrix(rep(start, each = nrow(x)), nrow(x), N_OUTPUTS)
    nodes <- if (type == "node") matrix(0L, nrow(x), N_TREES)
    for (tree in seq_len(N_TREES)) {
      said <- ask_tree(tree, x)
      if (type == "node") nodes[, tree] <- said$node
      output <- if (WIDTH == 1L) (tree - 1L) %% N_OUTPUTS + 1L else seq_len(N_OUTPUTS)
      sums[, output] <- sums[, output] + said$numbers
    }
    if (type == "node") return(nodes)
    answers <- finish(sums)
    if (type == "prob") return(structure(answers, dimnames = list(NULL, labels)))
    if (is.null(labels)) return(answers[, 1L])
    labels[switch(LABEL_BY,
      node = ifelse(said$node >= 0L, label_of[pmax(said$node, 0L) + 1L] + 1L, largest(answers)),
      sign = ifelse(sums[, 1L] > 0, 2L, 1L),
      sums = largest(sums),
      largest(answers)
    )]
  }
