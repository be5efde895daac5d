import type { Case } from '../../domain/scenario.ts';
import { isRecord } from '../../shared/json.ts';
import { shorten } from '../../shared/text.ts';

/** So many words in a row are not the same by chance. */
const wordsInARow = 5;
/** Shorter answers, such as `ok` and `12`, occur everywhere. */
const shortestAnswer = 4;

/** Every text in a value; numbers as they are written. */
export function textLeaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textLeaves);
  return isRecord(value) ? Object.values(value).flatMap(textLeaves) : [];
}

/** Task, expectations and everything that judges a case. */
export function textsOfCase({ input, expected, expectedBehavior, evaluators }: Case): string[] {
  return [input, expected, expectedBehavior, ...evaluators.map(({ config }) => config)].flatMap(textLeaves);
}

/**
 * Finds text of held-out cases. A text leaks if it holds five words in a row of one of them, or a whole expected text
 * of four or more characters, unless a training case or the original version holds the same.
 */
export class LeakCheck {
  readonly #answers: readonly string[];
  readonly #phrases: ReadonlySet<string>;

  constructor(heldOut: readonly string[], allowed: readonly string[]) {
    const allowedTexts = allowed.map((text) => text.toLowerCase());
    const allowedPhrases = new Set(allowed.flatMap(phrasesIn));
    const answers = new Set(heldOut.map((text) => text.trim().toLowerCase()));
    this.#answers = [...answers].filter(
      (answer) => answer.length >= shortestAnswer && !allowedTexts.some((text) => holds(text, answer)),
    );
    this.#phrases = new Set(heldOut.flatMap(phrasesIn).filter((phrase) => !allowedPhrases.has(phrase)));
  }

  /** The held-out text that a text holds; undefined where it holds none. */
  leakIn(text: string): string | undefined {
    const lower = text.toLowerCase();
    const answer = this.#answers.find((each) => holds(lower, each));
    const found = answer ?? phrasesIn(text).find((phrase) => this.#phrases.has(phrase));
    return found === undefined ? undefined : shorten(found, 80);
  }
}

/** Whether a text holds another one as whole words. */
function holds(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + wanted.length] ?? ' '];
    const [first, last] = [wanted[0] ?? ' ', wanted.at(-1) ?? ' '];
    if (!(isWord(before) && isWord(first)) && !(isWord(after) && isWord(last))) return true;
  }
  return false;
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

function phrasesIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const count = Math.max(0, words.length - wordsInARow + 1);
  return Array.from({ length: count }, (_, at) => words.slice(at, at + wordsInARow).join(' '));
}
