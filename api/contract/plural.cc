#include "api/contract/plural.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace capstan::api::contract {
namespace {

struct Word {
  std::string_view one = {};
  std::string_view many = {};
  bool ending = true;  // also as the end of a longer word
};

// Words with a plural of their own. What comes later is looked at first.
constexpr std::array kWords = {
    Word{"aircraft", "aircraft"},
    Word{"bison", "bison"},
    Word{"chassis", "chassis"},
    Word{"deer", "deer"},
    Word{"fish", "fish"},
    Word{"moose", "moose"},
    Word{"police", "police"},
    Word{"salmon", "salmon"},
    Word{"series", "series"},
    Word{"sheep", "sheep"},
    Word{"species", "species"},
    Word{"trout", "trout"},
    Word{"child", "children"},
    Word{"ox", "oxen", false},
    Word{"foot", "feet"},
    Word{"goose", "geese"},
    Word{"man", "men"},
    Word{"human", "humans"},
    Word{"louse", "lice", false},
    Word{"mouse", "mice"},
    Word{"tooth", "teeth"},
    Word{"woman", "women"},
    Word{"die", "dice", false},
    Word{"person", "people"},
    Word{"bureau", "bureaus"},
    Word{"criterion", "criteria"},
    Word{"lexicon", "lexica"},
    Word{"phenomenon", "phenomena"},
    Word{"taxon", "taxa"},
    Word{"media", "media"},
    Word{"medium", "media"},
    Word{"stadium", "stadiums"},
    Word{"aquarium", "aquaria"},
    Word{"auditorium", "auditoria"},
    Word{"symposium", "symposia"},
    Word{"curriculum", "curriculums"},
    Word{"quota", "quotas"},
    Word{"alumnus", "alumni"},
    Word{"cactus", "cacti"},
    Word{"focus", "foci"},
    Word{"locus", "loci"},
    Word{"nucleus", "nuclei"},
    Word{"octopus", "octupuses"},  // as misspelt there
    Word{"radius", "radii"},
    Word{"syllabus", "syllabi"},
    Word{"corpus", "corpora"},
    Word{"genus", "genera"},
    Word{"apex", "apices"},
    Word{"codex", "codices"},
    Word{"index", "indices"},
    Word{"latex", "latices"},
    Word{"vertex", "vertices"},
    Word{"vortex", "vortices"},
    Word{"appendix", "appendices"},
    Word{"radix", "radices"},
    Word{"helix", "helices"},
    Word{"axis", "axes", false},
    Word{"crisis", "crises"},
    Word{"genesis", "geneses"},
    Word{"oasis", "oases"},
    Word{"thesis", "theses"},
    Word{"base", "bases"},
    Word{"basis", "bases"},
    Word{"alias", "aliases", false},
    Word{"use", "uses", false},
    Word{"abuse", "abuses"},
    Word{"cause", "causes"},
    Word{"clause", "clauses"},
    Word{"excuse", "excuses"},
    Word{"fuse", "fuses"},
    Word{"house", "houses"},
    Word{"misuse", "misuses"},
    Word{"muse", "muses"},
    Word{"pause", "pauses"},
    Word{"topaz", "topazes"},
    Word{"buffalo", "buffaloes"},
    Word{"potato", "potatoes"},
    Word{"tomato", "tomatoes"},
    Word{"equipment", "equipment"},
    Word{"information", "information"},
    Word{"money", "money"},
    Word{"news", "news"},
    Word{"rice", "rice"},
    Word{"dwarf", "dwarfs"},
    Word{"hoof", "hoofs"},
    Word{"thief", "thieves"},
    Word{"hive", "hives"},
    Word{"move", "moves"},
    Word{"movie", "movies"},
    Word{"cookie", "cookies"},
    Word{"agenda", "agendas"},
    Word{"formula", "formulas"},
    Word{"shoe", "shoes"},
    Word{"toe", "toes", false},
    Word{"graffiti", "graffiti"},
    Word{"ID", "IDs", false},
};

struct Ending {
  std::string_view one = {};
  std::string_view many = {};
};

// The first ending that fits decides; a word that has the plural ending already stays as it is.
constexpr std::array kEndings = {
    Ending{"tive", "tives"},  Ending{"eaf", "eaves"},      Ending{"oaf", "oaves"},
    Ending{"afe", "aves"},    Ending{"arf", "arves"},      Ending{"rfe", "rves"},
    Ending{"rf", "rves"},     Ending{"lf", "lves"},        Ending{"fe", "ves"},
    Ending{"ay", "ays"},      Ending{"ey", "eys"},         Ending{"oy", "oys"},
    Ending{"quy", "quies"},   Ending{"uy", "uys"},         Ending{"y", "ies"},
    Ending{"eau", "eaux"},    Ending{"bula", "bulae"},     Ending{"hedron", "hedra"},
    Ending{"ium", "ia"},      Ending{"seum", "seums"},     Ending{"eum", "ea"},
    Ending{"oum", "oa"},      Ending{"stracum", "straca"}, Ending{"dum", "da"},
    Ending{"elum", "ela"},    Ending{"ilum", "ila"},       Ending{"olum", "ola"},
    Ending{"ulum", "ula"},    Ending{"llum", "lla"},       Ending{"ylum", "yla"},
    Ending{"imum", "ima"},    Ending{"ernum", "erna"},     Ending{"gnum", "gna"},
    Ending{"brum", "bra"},    Ending{"crum", "cra"},       Ending{"terum", "tera"},
    Ending{"serum", "sera"},  Ending{"trum", "tra"},       Ending{"antum", "anta"},
    Ending{"atum", "ata"},    Ending{"entum", "enta"},     Ending{"etum", "eta"},
    Ending{"itum", "ita"},    Ending{"otum", "ota"},       Ending{"utum", "uta"},
    Ending{"ctum", "cta"},    Ending{"ovum", "ova"},       Ending{"trix", "trices"},
    Ending{"iasis", "iases"}, Ending{"mesis", "meses"},    Ending{"kinesis", "kineses"},
    Ending{"resis", "reses"}, Ending{"gnosis", "gnoses"},  Ending{"opsis", "opses"},
    Ending{"ysis", "yses"},   Ending{"ouse", "ouses"},     Ending{"lause", "lauses"},
    Ending{"us", "uses"},     Ending{"ch", "ches"},        Ending{"io", "ios"},
    Ending{"sh", "shes"},     Ending{"ss", "sses"},        Ending{"ez", "ezzes"},
    Ending{"iz", "izzes"},    Ending{"tz", "tzes"},        Ending{"zz", "zzes"},
    Ending{"ano", "anos"},    Ending{"lo", "los"},         Ending{"to", "tos"},
    Ending{"oo", "oos"},      Ending{"o", "oes"},          Ending{"x", "xes"},
    Ending{"S", "Ses"},
};

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return result;
}

// Where the last word of CamelCase begins: "KubeadmControlPlane" -> "Plane". A row of capitals is one word.
std::size_t last_word(std::string_view text) {
  for (std::size_t at = text.size(); at-- > 1;) {
    if (is_upper(text[at]) && !is_upper(text[at - 1])) return at;
  }
  return 0;
}

std::string with_ending(std::string_view word, std::string_view one, std::string_view many) {
  return std::string(word.substr(0, word.size() - one.size())) + std::string(many);
}

// The plural of a word the table has whole; empty when it does not.
std::string of_whole_word(std::string_view word) {
  const std::string plain = lower(word);
  for (const auto& each : kWords) {
    if (each.many == word || each.many == plain) return std::string(word);
  }
  for (const auto& each : kWords) {
    if (each.one != word && each.one != plain) continue;
    std::string many(each.many);
    if (is_upper(word.front()))
      many.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(many.front())));
    return many;
  }
  return {};
}

template <typename Rules, typename Applies>
std::string by_rule(std::string_view word, const Rules& rules, Applies applies) {
  for (const auto& rule : rules) {
    if (!applies(rule)) continue;
    if (word.ends_with(rule.many)) return std::string(word);
    if (word.ends_with(rule.one)) return with_ending(word, rule.one, rule.many);
  }
  return {};
}

std::string of_last_word(std::string_view word) {
  if (auto whole = of_whole_word(word); !whole.empty()) return whole;
  auto words = kWords;
  std::ranges::reverse(words);
  if (auto found = by_rule(word, words, [](const Word& each) { return each.ending; }); !found.empty())
    return found;
  if (auto found = by_rule(word, kEndings, [](const Ending&) { return true; }); !found.empty()) return found;
  return word.ends_with('s') || word.ends_with('S') ? std::string(word) : std::string(word) + "s";
}

}  // namespace

std::string plural(std::string_view word) {
  if (word.empty()) return {};
  const std::size_t at = last_word(word);
  return std::string(word.substr(0, at)) + of_last_word(word.substr(at));
}

std::string crd_name(std::string_view group, std::string_view kind) {
  return fmt::format("{}.{}", plural(lower(kind)), group);
}

}  // namespace capstan::api::contract
