import { resolve } from 'node:path';
import type { TraceEventOf, UnstampedEvent } from '../../domain/trace.ts';
import { oneLine } from '../../shared/text.ts';

/** An instruction file, and how it is recognised in a prompt. */
export interface InstructionText {
  readonly path: string;
  readonly text: string;
  /** A line that is in no other text; found instead of the whole text. */
  readonly canary?: string | undefined;
}

/** The instructions of a trial that are looked for in the prompts of its agent. */
export interface InstructionPatterns {
  /** Null where the variant has none. */
  readonly guidance: string | null;
  readonly texts: readonly (InstructionText & { readonly from: 'guidance' | 'template' })[];
  /** Texts that must not reach the agent, such as those of the project around the work directory. */
  readonly foreign: readonly InstructionText[];
  /** Skills that the agent may load, with the lines of their instructions by which they are recognised. */
  readonly skills?: readonly { readonly name: string; readonly lines: readonly string[] }[] | undefined;
  /** Absolute: the work directory, and the folder of the trial around it; files in it are the agent's own. */
  readonly places?: { readonly workDirectory: string; readonly trialFolder: string } | undefined;
}

type Instructions = TraceEventOf<'instructions'>;

/** How agents introduce the instruction files that they put into their prompts; the group is the path. */
const introductions: readonly RegExp[] = [
  /Contents of (\S[^\n]{0,400}?\.md) \([^)\n]{0,200}instructions[^)\n]{0,200}\):\s*/g,
  /# AGENTS\.md instructions for (\S[^\n]{0,400})\s*(?:<INSTRUCTIONS>)?\s*/g,
  /--- Context from: (\S[^\n]{0,400}?) ---\s*/g,
  /Instructions from: (\S[^\n]{0,400}\.md)\s*/g,
];

const longestQuote = 100;
const longestIntroduced = 2_000;
const mostForeign = 20;

/** Looks for instructions in the prompts of an agent, call by call. */
export class FoundInstructions {
  readonly #sought: InstructionPatterns;
  readonly #texts: readonly { readonly text: InstructionPatterns['texts'][number]; readonly mark: string }[];
  readonly #foreign: readonly { readonly text: InstructionText; readonly mark: string }[];
  readonly #files = new Map<string, Instructions['files'][number]>();
  readonly #foreignFound = new Map<string, Instructions['foreign'][number]>();
  readonly #byThread = new Map<number, { with: number; of: number }>();
  readonly #skills: readonly { readonly name: string; readonly marks: readonly string[]; calls: number }[];

  constructor(sought: InstructionPatterns) {
    this.#sought = sought;
    this.#texts = sought.texts.map((text) => ({ text, mark: markOf(text) }));
    this.#foreign = sought.foreign.map((text) => ({ text, mark: markOf(text) }));
    this.#skills = (sought.skills ?? []).map(({ name, lines }) => ({ name, marks: lines.map(oneLine), calls: 0 }));
  }

  /** Takes the prompt of one call, with white space normalised and as it was. */
  look(thread: number, prompt: string, written: string): void {
    const found = this.#texts.filter(({ mark }) => mark !== '' && prompt.includes(mark));
    for (const { text } of found) this.#files.set(text.path, { path: text.path, from: text.from });
    const counts = this.#byThread.get(thread) ?? { with: 0, of: 0 };
    counts.of++;
    if (found.some(({ text }) => text.from === 'guidance')) counts.with++;
    this.#byThread.set(thread, counts);
    for (const { text, mark } of this.#foreign) {
      if (mark !== '' && prompt.includes(mark)) this.#addForeign(text.path, text.text);
    }
    for (const skill of this.#skills) if (skill.marks.some((mark) => prompt.includes(mark))) skill.calls++;
    this.#lookForIntroduced(written);
  }

  /** The event that says what was found; unknown where no call of the main conversation was seen. */
  event(mainThread: number | undefined): UnstampedEvent {
    const { guidance } = this.#sought;
    const calls = this.#byThread.get(mainThread ?? 0) ?? { with: 0, of: 0 };
    const arrived = calls.of === 0 ? 'unknown' : calls.with > 0 ? 'yes' : 'no';
    return {
      type: 'instructions',
      seenBy: 'gateway',
      guidance,
      arrived: guidance === null && calls.of > 0 ? 'no' : arrived,
      calls,
      files: [...this.#files.values()],
      foreign: [...this.#foreignFound.values()],
      ...(this.#skills.length === 0 ? {} : { skills: this.#skills.map(({ name, calls }) => ({ name, calls })) }),
    };
  }

  /** Texts that the agent itself marks as instructions, and that are not among those of the trial. */
  #lookForIntroduced(prompt: string): void {
    for (const introduction of introductions) {
      for (const match of prompt.matchAll(introduction)) {
        const start = match.index + match[0].length;
        const text = prompt.slice(start, start + longestIntroduced);
        if (!this.#isOfTrial(match[1]) && !this.#isOurs(text)) this.#addForeign(match[1]?.trim(), text);
      }
    }
  }

  #isOfTrial(path: string | undefined): boolean {
    const { places } = this.#sought;
    if (path === undefined || places === undefined) return false;
    return resolve(places.workDirectory, path.trim()).startsWith(`${places.trialFolder}/`);
  }

  #isOurs(text: string): boolean {
    const beginning = oneLine(text);
    return this.#texts.some(({ text: own, mark }) => {
      const start = oneLine(own.text).slice(0, longestQuote);
      return beginning.startsWith(start) || beginning.includes(mark);
    });
  }

  #addForeign(path: string | undefined, text: string): void {
    if (this.#foreignFound.size >= mostForeign || oneLine(text) === '') return;
    const quote = oneLine(text).slice(0, longestQuote);
    this.#foreignFound.set(`${path} ${quote}`, { ...(path === undefined ? {} : { path }), text: quote });
  }
}

function markOf({ text, canary }: InstructionText): string {
  return oneLine(canary ?? text);
}
