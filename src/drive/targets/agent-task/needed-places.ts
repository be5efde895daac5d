import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whether an attempt ends as it should with further places visible. */
type TryWith = (places: readonly string[]) => Promise<boolean>;

const deepest = 12;

/**
 * The smallest places that an attempt needs beside what is visible: entries of the outermost folder first, then entries of
 * those. Folders stay whole where their entries alone are not enough.
 */
export async function neededPlaces(works: TryWith): Promise<string[]> {
  let places = ['/'];
  for (let depth = 0; depth < deepest; depth++) {
    const inner: string[] = [];
    for (const [index, place] of places.entries()) {
      const others = [...inner, ...places.slice(index + 1)];
      inner.push(...(await neededIn(place, others, works)));
    }
    if (inner.join('\n') === places.join('\n')) break;
    places = inner;
  }
  return places.filter((place) => place !== '/');
}

async function neededIn(place: string, others: readonly string[], works: TryWith): Promise<string[]> {
  const entries = entriesOf(place);
  if (entries.length === 0 || !(await works([...others, ...entries]))) return [place];
  const found = (await works(others)) ? [] : await smallest(others, entries, works);
  return found.length === 0 ? [place] : found;
}

/** A smallest part of the candidates that is enough beside the given places, which are not, found by halving. */
async function smallest(given: readonly string[], candidates: readonly string[], works: TryWith): Promise<string[]> {
  if (candidates.length === 1) return [...candidates];
  const middle = Math.ceil(candidates.length / 2);
  const [first, second] = [candidates.slice(0, middle), candidates.slice(middle)];
  if (await works([...given, ...first])) return smallest(given, first, works);
  const ofSecond = await smallest([...given, ...first], second, works);
  const isEnough = await works([...given, ...ofSecond]);
  return [...(isEnough ? [] : await smallest([...given, ...ofSecond], first, works)), ...ofSecond];
}

/** Paths of the entries of a folder; empty for anything else. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
