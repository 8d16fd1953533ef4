# Least squares by R's lm, for tests/golden/test_lm.py. Run in this folder:
#   Rscript models.R > models.json
library(jsonlite)
library(splines)

shipped <- function(name) file.path("../../../src/treewright/datasets/tables", paste0(name, ".csv"))
own <- function(name) file.path("../tables", paste0(name, ".csv"))
table_of <- function(path, text = c()) {
  found <- read.csv(path, stringsAsFactors = FALSE, na.strings = "")
  for (column in text) found[[column]] <- as.character(found[[column]])
  found[] <- lapply(found, function(v) if (is.character(v)) factor(v, levels = sort(unique(v), method = "radix")) else v)
  found
}

told <- function(fit, new) {
  s <- summary(fit)
  list(
    coefficients = as.list(coef(fit)),
    std_error = as.list(s$coefficients[, 2]), t = as.list(s$coefficients[, 3]), p = as.list(s$coefficients[, 4]),
    low = as.list(confint(fit)[, 1]), high = as.list(confint(fit)[, 2]),
    sigma = s$sigma, df = fit$df.residual, r_squared = s$r.squared, adjusted = s$adj.r.squared,
    f = as.list(s$fstatistic),
    residual_quantiles = as.vector(quantile(weighted.residuals(fit))),
    fitted = as.vector(fitted(fit))[1:10],
    prediction = predict(fit, new, interval = "prediction", weights = 1),
    confidence = predict(fit, new, interval = "confidence", level = 0.9)
  )
}

boston <- table_of(shipped("boston"), "chas")
servo <- table_of(own("servo"), c("Pgain", "Vgain"))
vendor <- table_of(own("cpu_vendor"))
air <- na.omit(table_of(shipped("airquality")))
cars <- table_of(shipped("car_test_frame"))
weight <- 1 + (seq_len(nrow(boston)) %% 5)
twins <- transform(boston[, c("medv", "rm", "lstat")], twice = 2 * rm, sum = rm + lstat, one = 7)

cases <- suppressWarnings(list(
  boston = told(lm(medv ~ ., boston), boston[1:5, ]),
  weighted = told(lm(medv ~ ., boston, weights = weight), boston[1:5, ]),
  no_intercept = told(lm(medv ~ rm + lstat + age - 1, boston), boston[1:5, ]),
  twins = told(lm(medv ~ ., twins), twins[1:5, ]),
  servo = told(lm(Class ~ ., servo), servo[1:5, ]),
  cpu_vendor = told(lm(class ~ ., vendor), vendor[1:5, ]),
  polynomial = told(lm(medv ~ poly(lstat, 5) + rm, boston), boston[1:5, ]),
  spline = told(lm(medv ~ ns(lstat, 4) + rm, boston), boston[1:5, ]),
  bspline = told(lm(medv ~ bs(lstat, df = 6) + rm, boston), boston[1:5, ]),
  airquality = told(lm(Ozone ~ ., air), air[1:5, ]),
  longley = told(lm(Employed ~ ., longley), longley[1:5, ])
))
write_json(cases, stdout(), digits = 15, auto_unbox = TRUE, na = "null", pretty = FALSE)
