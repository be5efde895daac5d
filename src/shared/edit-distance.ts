/** Texts that take too long to compare. */
export class TextsTooLong extends Error {}

const wordBits = 32;
/** Words of bits that a comparison may go through: about half a second, or two texts of 60,000 characters. */
const maxWords = 120_000_000;

/**
 * How many letters must be put in, left out or exchanged to make one text of the other (Levenshtein). A column of the
 * table is kept as bits for where it goes up or down (Myers, Hyyrö), so one step does 32 rows.
 */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  const [rows, columns] = a.length < b.length ? [a, b] : [b, a];
  if (rows.length === 0) return columns.length;
  const wordCount = Math.ceil(rows.length / wordBits);
  if (wordCount * columns.length > maxWords) {
    throw new TextsTooLong(`Texts of ${a.length} and ${b.length} characters are too long to be compared.`);
  }
  const rowsOf = placesOf(rows, wordCount);
  const nowhere = new Int32Array(wordCount);
  const up = new Int32Array(wordCount).fill(-1);
  const down = new Int32Array(wordCount);
  const lastBit = 1 << ((rows.length - 1) % wordBits);
  let distance = rows.length;
  for (const letter of columns) {
    distance += nextColumn(rowsOf.get(letter) ?? nowhere, up, down, lastBit);
  }
  return distance;
}

/** For each letter the rows it stands in, one bit each. */
function placesOf(rows: readonly string[], wordCount: number): Map<string, Int32Array> {
  const places = new Map<string, Int32Array>();
  for (const [row, letter] of rows.entries()) {
    const words = places.get(letter) ?? new Int32Array(wordCount);
    const word = Math.floor(row / wordBits);
    words[word] = (words[word] ?? 0) | (1 << (row % wordBits));
    places.set(letter, words);
  }
  return places;
}

/** Turns one column into the next, and gives what its last row changes by. */
function nextColumn(equal: Int32Array, up: Int32Array, down: Int32Array, lastBit: number): number {
  let carryUp = 1;
  let carryDown = 0;
  let change = 0;
  for (let word = 0; word < up.length; word++) {
    const p = up[word] ?? 0;
    const n = down[word] ?? 0;
    const matching = (equal[word] ?? 0) | carryDown;
    const diagonal = ((((matching & p) + p) | 0) ^ p) | matching | n;
    const rising = n | ~(diagonal | p);
    const falling = p & diagonal;
    if (word === up.length - 1) change = (rising & lastBit ? 1 : 0) - (falling & lastBit ? 1 : 0);
    const shiftedRising = (rising << 1) | carryUp;
    const shiftedFalling = (falling << 1) | carryDown;
    carryUp = rising >>> 31;
    carryDown = falling >>> 31;
    const vertical = (equal[word] ?? 0) | n;
    up[word] = shiftedFalling | ~(vertical | shiftedRising);
    down[word] = shiftedRising & vertical;
  }
  return change;
}
