#include "cluster/expand/pod_set.h"

#include <utility>

#include "cluster/expand/pod_recipe.h"

namespace winnow {

PodSet::PodSet(PodRecipe recipe) : recipe_(std::make_shared<const PodRecipe>(std::move(recipe))) {}

const std::string& PodSet::source() const { return recipe_->source; }
std::size_t PodSet::size() const { return recipe_->numbers.size(); }
Pod PodSet::pod(std::size_t i) const { return make_pod(*recipe_, recipe_->numbers[i]); }
std::vector<PersistentVolumeClaim> PodSet::claims(std::size_t i) const {
  return make_claims(*recipe_, recipe_->numbers[i]);
}

}  // namespace winnow
