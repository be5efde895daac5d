/** The only name that begins with what was written, or the nearest one; undefined when none is near enough. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  const wanted = written.toLowerCase();
  const longer = wanted.length < 3 ? [] : names.filter((name) => name.toLowerCase().startsWith(wanted));
  if (longer.length === 1) return longer[0];
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** "Did you mean `x`?" for a near miss; undefined when nothing is near. */
export function didYouMean(written: string, names: Iterable<string>): string | undefined {
  const nearest = nearestName(written, names);
  return nearest === undefined ? undefined : `Did you mean \`${nearest}\`?`;
}

/** "Did you mean `x`?" for a near miss, otherwise the list of what is known. */
export function suggestion(written: string, names: readonly string[]): string {
  return didYouMean(written, names) ?? `Known: ${listed(names)}.`;
}

/** More than these are not read. */
const mostListed = 12;

/** Names in a sentence, not more than a reader wants. */
export function listed(names: readonly string[]): string {
  const listedNames = names.slice(0, mostListed).map((name) => `\`${name}\``);
  const more = names.length - listedNames.length;
  return more > 0 ? `${listedNames.join(', ')} and ${more} more` : listedNames.join(', ');
}

/** Optimal string alignment distance (a swap of neighbours counts as one), cut off at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const insertion = (current[column - 1] ?? 0) + 1;
      const deletion = (previous[column] ?? 0) + 1;
      let cost = Math.min(substitution, insertion, deletion);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? limit;
}
