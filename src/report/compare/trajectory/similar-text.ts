import { editDistance } from '../../../shared/edit-distance.ts';
import { type Pair, type RangePair, sizeOf } from './common-subsequence.ts';
import type { Step } from './steps.ts';

/** What becomes of paths: kept, reduced to the last name in them, or taken out. */
export type PathTreatment = 'kept' | 'last-name' | 'out';

interface Treatment {
  readonly paths: PathTreatment;
  readonly quotes: 'kept' | 'out';
}

/** More of a text than this does not tell things apart, and reading it costs time. */
const longestText = 1_000;

// Each begins where a word does, or with a letter that nothing else begins with: the time stays linear in the text.
const times = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g;
const uuids = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const hashes = /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b/gi;
const longIds = /(?<![\w-])(?=(?:[A-Za-z_-]*\d){3})(?=\d*[A-Za-z_-])[\w-]{12,}/g;
const pathLike = /(?<![\w.@~-])(?:[A-Za-z]:|[\w.@~-]+)?(?:[\\/][\w.@%+-]+)+[\\/]?/g;
const numbers = /(?<![A-Za-z_])\d+(?:[.,]\d+)*/g;
const quoted = /"(?:[^"\\]|\\.)*"|`[^`]*`|“[^”]*”|(?<!\w)'[^']*'(?!\w)/g;

/** A text in which what differs from one try to the next is the same: times, ids, numbers, and as asked paths and quotes. */
export function alikeText(text: string, { paths, quotes }: Treatment): string {
  const start = text.slice(0, longestText).replace(/\s+/g, ' ').trim();
  const told = quotes === 'out' ? start.replace(quoted, '<text>') : start;
  return told
    .replace(times, '<time>')
    .replace(uuids, '<id>')
    .replace(hashes, '<id>')
    .replace(longIds, '<id>')
    .replace(pathLike, (path) => alikePath(path, paths))
    .replace(numbers, '#');
}

function alikePath(path: string, treatment: PathTreatment): string {
  // A share such as 3/5 is no path.
  if (treatment === 'kept' || /^[\d/.]+$/.test(path)) return path;
  if (treatment === 'out') return '<path>';
  return path.split(/[\\/]/).findLast((name) => name !== '') ?? path;
}

/** Steps of the two sides that are compared with each other at once. */
export const mostCells = 100;
const mostWords = 30;
/** From this share of words in common on, two steps are forms of one. */
const nearEnough = 0.34;
/** What is said differs each time: whoever speaks at the same place says the same thing in other words. */
const messageWeight = 0.34;

/** Pairs in the order of both sides, as near to each other as possible in all. */
export function bestPairs(a: readonly Step[], b: readonly Step[], { a: rows, b: columns }: RangePair): Pair[] {
  const [height, width] = [sizeOf(rows), sizeOf(columns)];
  const stride = width + 1;
  const nearness = new Float64Array(height * width);
  const totals = new Float64Array((height + 1) * stride);
  const wordsA = a.slice(rows.start, rows.end).map(wordsOf);
  const wordsB = b.slice(columns.start, columns.end).map(wordsOf);
  const totalAt = (row: number, column: number): number => totals[row * stride + column] ?? 0;
  const nearnessAt = (row: number, column: number): number => nearness[row * width + column] ?? 0;
  const paired = (row: number, column: number): number => nearnessAt(row, column) + totalAt(row + 1, column + 1);
  for (let row = height - 1; row >= 0; row--) {
    for (let column = width - 1; column >= 0; column--) {
      const [stepA, stepB] = [a[rows.start + row], b[columns.start + column]];
      nearness[row * width + column] =
        stepA && stepB ? nearnessOf(stepA, stepB, wordsA[row] ?? [], wordsB[column] ?? []) : 0;
      const apart = Math.max(totalAt(row + 1, column), totalAt(row, column + 1));
      totals[row * stride + column] = nearnessAt(row, column) > 0 ? Math.max(paired(row, column), apart) : apart;
    }
  }
  const pairs: Pair[] = [];
  for (let row = 0, column = 0; row < height && column < width; ) {
    const isPaired = nearnessAt(row, column) > 0 && paired(row, column) >= totalAt(row, column);
    if (isPaired) pairs.push([rows.start + row++, columns.start + column++]);
    else if (totalAt(row + 1, column) >= totalAt(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}

/** From 0 for steps that have nothing to do with each other to 1. */
function nearnessOf(a: Step, b: Step, wordsA: readonly string[], wordsB: readonly string[]): number {
  if (a.kind !== b.kind || a.subject !== b.subject) return 0;
  const longer = Math.max(wordsA.length, wordsB.length, 1);
  // Words that only one side has must be exchanged at the least.
  const shared = new Set(wordsB);
  if (a.kind !== 'message' && wordsA.filter((word) => shared.has(word)).length / longer < nearEnough) return 0;
  const share = 1 - editDistance(wordsA, wordsB) / longer;
  if (a.kind === 'message') return messageWeight + share;
  return share >= nearEnough ? share : 0;
}

function wordsOf({ key }: Step): string[] {
  return key
    .split(/[\s"'{}[\](),:=]+/, mostWords)
    .slice(1)
    .filter((word) => word !== '');
}
