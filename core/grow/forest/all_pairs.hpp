// Sums of small nodes without sorting: for every row the sum over all rows whose code is at most its own. For a hundred
// rows and less, comparing all with all in vectors is faster than putting them in order, and it has no branches.
// Integers: the vector forms chosen at run time give the same answers.
#pragma once

#include <cstdint>  // for uint32_t

namespace tw {

constexpr std::uint32_t kMostPairs = 128;       // rows, for 32-bit sums
constexpr std::uint32_t kMostWidePairs = 32;    // rows, for 64-bit sums
constexpr std::uint32_t kPairsRoom = 128 + 64;  // arrays below have room for whole vectors

// sums[i] = Σ_j word[j] where code[j] <= code[i]. code and word are padded by the caller with zeros; codes are below
// 2^31 where the sums have 32 bits.
void sums_up_to(const std::uint32_t* code, const std::uint32_t* word, std::uint32_t n, std::uint32_t* sums);
void sums_up_to(const std::uint32_t* code, const std::int64_t* first, const std::int64_t* second, std::uint32_t n,
                std::int64_t* first_sums, std::int64_t* second_sums);

// How many words are smaller than each word; all words differ.
void ranks_of(const std::uint32_t* word, std::uint32_t n, std::uint32_t* ranks);

// Rows with a code from 1 to `cut`: how many, how often drawn (word >> 1), and how often those of class 1 (word & 1).
struct CountSums {
  std::uint32_t a, b, rows;
};
// Both arrays may be read up to kSlack numbers beyond the last.
constexpr std::uint32_t kSlack = 16;
CountSums counts_up_to(const std::uint16_t* codes, const std::uint16_t* words, std::uint32_t n, std::uint32_t cut);

// The lower and the upper 16 bits of every word.
void halves_of(const std::uint32_t* words, std::uint32_t n, double* low, double* high);

// The left sums of a cut after each row, and the code of the row: a row with the highest code, or none, ends no cut.
struct CutSums {
  const double *a, *b;
  const std::uint32_t* code;
  std::uint32_t n, highest;
};
// scores[i] = d² / (a (whole − a)), with d the distance of b from its share; −1 where there is no cut. Gives the
// largest.
double quadratic_scores(const CutSums& cuts, double mean, double whole, double* scores);

}  // namespace tw
