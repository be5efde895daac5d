/** A passage of a text. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

/** The text to mark: the words of a search, or a passage that a judge quoted. */
export interface Wanted {
  readonly text: string;
  readonly isQuote: boolean;
}

const mostMarks = 1_000;

/** Where a text holds what is wanted. */
export function findMarks(text: string, { text: wanted, isQuote }: Wanted): Mark[] {
  if (wanted === '') return [];
  if (!isQuote) return occurrences(text.toLowerCase(), wanted.toLowerCase(), text.length);
  for (const form of quoteForms(wanted)) {
    const marks = occurrences(text, form, text.length);
    if (marks.length > 0) return marks;
  }
  return [];
}

/** A quote as it stands in a text, in the JSON that shows a value, and without blanks around it. */
function quoteForms(quote: string): string[] {
  const trimmed = quote.trim();
  const forms = [quote, JSON.stringify(quote).slice(1, -1), trimmed, JSON.stringify(trimmed).slice(1, -1)];
  return [...new Set(forms)].filter((form) => form !== '');
}

/** Letters that change their length in lower case would move what follows; such a text gets no marks. */
function occurrences(text: string, wanted: string, length: number): Mark[] {
  if (text.length !== length) return [];
  const marks: Mark[] = [];
  for (
    let at = text.indexOf(wanted);
    at >= 0 && marks.length < mostMarks;
    at = text.indexOf(wanted, at + wanted.length)
  )
    marks.push({ start: at, end: at + wanted.length });
  return marks;
}

/** A piece of a text, marked or not. */
interface MarkedPiece {
  readonly start: number;
  readonly text: string;
  readonly isMarked: boolean;
}

/** The text from `start` on, cut where marks begin and end. Marks are in order and do not overlap. */
export function markedPieces(text: string, start: number, marks: readonly Mark[]): MarkedPiece[] {
  const end = start + text.length;
  const pieces: MarkedPiece[] = [];
  let at = start;
  const add = (until: number, isMarked: boolean): void => {
    if (until <= at) return;
    pieces.push({ start: at, text: text.slice(at - start, until - start), isMarked });
    at = until;
  };
  for (const mark of marks) {
    if (mark.end <= at) continue;
    if (mark.start >= end) break;
    add(mark.start, false);
    add(Math.min(mark.end, end), true);
  }
  add(end, false);
  return pieces;
}

/** The hit after or before a place in the trace, going round at the ends; undefined where there are none. */
export function nextHit(hits: readonly number[], from: number | undefined, direction: 1 | -1): number | undefined {
  if (hits.length === 0) return undefined;
  if (direction === 1) return hits.find((hit) => from === undefined || hit > from) ?? hits[0];
  return hits.findLast((hit) => from === undefined || hit < from) ?? hits.at(-1);
}

/** Which hit a place in the trace is, from 1; 0 where it is none. */
export function hitNumber(hits: readonly number[], place: number | undefined): number {
  return place === undefined ? 0 : hits.indexOf(place) + 1;
}
