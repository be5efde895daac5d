/**
 * Items that can be read in order as often as needed; a list is one. Those of a large run are made from columns of numbers each
 * time they are read: a list of them would take many times the memory.
 */
export interface Rows<Item> extends Iterable<Item> {
  readonly length: number;
  at(index: number): Item | undefined;
}

/** Of a few hundred bytes each, so many take some tens of megabytes. */
const mostHeld = 100_000;

/** The same rows, made only once where they are not too many: figures read them dozens of times. */
export function heldRows<Item>(rows: Rows<Item>): Rows<Item> {
  return rows.length > mostHeld ? rows : Array.from(rows);
}

/** Rows that are made from their index whenever they are read. */
export function madeRows<Item>(length: number, make: (index: number) => Item): Rows<Item> {
  return {
    length,
    at: (index) => (index < length ? make(index) : undefined),
    *[Symbol.iterator]() {
      for (let index = 0; index < length; index++) yield make(index);
    },
  };
}

export function mappedRows<Item, Made>(rows: Rows<Item>, make: (item: Item) => Made): Rows<Made> {
  return madeRows(rows.length, (index) => make(rows.at(index) as Item));
}

/** The rows for which the test holds; it is made once, and only their places are kept. */
export function filteredRows<Item>(rows: Rows<Item>, isWanted: (item: Item) => boolean): Rows<Item> {
  const places = new Int32Array(rows.length);
  let [count, index] = [0, 0];
  for (const item of rows) {
    if (isWanted(item)) places[count++] = index;
    index++;
  }
  if (count === rows.length) return rows;
  const kept = places.slice(0, count);
  return madeRows(count, (place) => rows.at(kept[place] ?? 0) as Item);
}

/** All of the first, and then all of the second. */
export function joinedRows<Item>(first: Rows<Item>, second: Rows<Item>): Rows<Item> {
  if (second.length === 0) return first;
  const { length } = first;
  return madeRows(
    length + second.length,
    (index) => (index < length ? first.at(index) : second.at(index - length)) as Item,
  );
}

/** No more than `most` of them, as a list. */
export function firstRows<Item>(rows: Rows<Item>, most: number): Item[] {
  return Array.from({ length: Math.min(most, rows.length) }, (_, index) => rows.at(index) as Item);
}

/** The first rows, up to the first for which the test does not hold. */
export function rowsWhile<Item>(rows: Rows<Item>, isSo: (item: Item) => boolean): Rows<Item> {
  let count = 0;
  for (const item of rows) {
    if (!isSo(item)) break;
    count++;
  }
  return madeRows(count, (index) => rows.at(index) as Item);
}

export function everyRow<Item>(rows: Iterable<Item>, isSo: (item: Item) => boolean): boolean {
  for (const item of rows) if (!isSo(item)) return false;
  return true;
}

export function someRow<Item>(rows: Iterable<Item>, isSo: (item: Item) => boolean): boolean {
  return !everyRow(rows, (item) => !isSo(item));
}

export function countRows<Item>(rows: Iterable<Item>, isSo: (item: Item) => boolean): number {
  let count = 0;
  for (const item of rows) if (isSo(item)) count++;
  return count;
}

export function sumOfRows<Item>(rows: Iterable<Item>, numberOf: (item: Item) => number): number {
  let sum = 0;
  for (const item of rows) sum += numberOf(item);
  return sum;
}
