/** Finds the known name a misspelt one was probably meant to be. */
function nearMiss(name: string, known: Iterable<string>): string | undefined {
  const tolerance = Math.min(2, Math.floor(name.length / 2));
  let best: string | undefined;
  let bestDistance = tolerance + 1;
  for (const candidate of known) {
    const distance = candidate.toLowerCase() === name.toLowerCase() ? 0 : editDistance(name, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Phrases a suggestion as a hint, or gives nothing when no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const suggestion = nearMiss(name, known);
  return suggestion === undefined ? undefined : `did you mean \`${suggestion}\`?`;
}

function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return 3;
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 3;
}
