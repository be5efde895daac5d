import type { Trace, TraceEvent } from '../../../domain/trace.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { idPattern } from './normalize-text.ts';

/** Longer outputs of tools are not searched to their end. */
const longestOutput = 100_000;
/** Characters of a text that a key keeps; the rest counts by its digest. */
const longestKey = 1_000;

/**
 * The values that belong to one trial: the folder that it worked in, and ids that its tools made. Only they may differ
 * between steps that are the same: any other number, id or path is a part of what was done.
 */
export class OwnValues {
  readonly #folder: string | undefined;
  readonly #shared: ReadonlySet<string>;
  readonly #made = new Set<string>();
  /** Own ids by the order in which steps use them. */
  readonly #numbers = new Map<string, number>();

  /** `shared`: ids that are in the outputs of the other trial too, so neither trial made them. */
  constructor(trace: Trace, shared: ReadonlySet<string>) {
    this.#folder = trace.find((event) => event.type === 'workspace')?.workedIn;
    this.#shared = shared;
  }

  /** To be called with each event after its step. */
  learn(event: TraceEvent): void {
    for (const id of idsIn(outputOf(event))) if (!this.#shared.has(id)) this.#made.add(id);
  }

  /** The text with names for the values of the trial. */
  keyOf(text: string): string {
    const inFolder = this.#folder === undefined ? text : text.replaceAll(this.#folder, '<trial>');
    const named = inFolder.replace(idPattern, (id) => (this.#made.has(id) ? `<id ${this.#numberOf(id)}>` : id));
    return named.length <= longestKey ? named : `${named.slice(0, longestKey)}… ${digestOf(named)}`;
  }

  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return number;
  }
}

/** Ids in the outputs of both trials. */
export function sharedIds(a: Trace, b: Trace): ReadonlySet<string> {
  const ofA = new Set(a.flatMap((event) => idsIn(outputOf(event))));
  return new Set(b.flatMap((event) => idsIn(outputOf(event)).filter((id) => ofA.has(id))));
}

function idsIn(text: string): string[] {
  return text.slice(0, longestOutput).match(idPattern) ?? [];
}

/** The text that a tool gave out in an event. */
function outputOf(event: TraceEvent): string {
  if (event.type === 'command') return `${event.stdout?.text ?? ''}\n${event.stderr?.text ?? ''}`;
  if (event.type === 'output') return event.text;
  if (event.type !== 'tool-result') return '';
  return event.error?.message ?? (event.result === undefined ? '' : canonicalJson(event.result));
}

const base = 31;
/** The largest prime whose products with the base are exact. */
const modulus = 281_474_976_710_597;

/** Pages have no synchronous SHA-256; two long texts with the same digest by chance are one in 10^14. */
function digestOf(text: string): string {
  let sum = text.length;
  for (let index = 0; index < text.length; index++) sum = (sum * base + text.charCodeAt(index)) % modulus;
  return sum.toString(36);
}
