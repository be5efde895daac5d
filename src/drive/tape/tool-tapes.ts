import { AssayError } from '../../domain/errors.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Placed, Take, TakeOf, TapedSubject, TapeLine } from '../../domain/tape.ts';
import { type ReplayRules, usualReplay } from '../../domain/tool-control/replay.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { canonicalJson } from '../../shared/json.ts';
import { drawnOf, type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import { RecordedTape } from './recorded-tape.ts';
import { writeTape } from './tape-file.ts';
import { headText, subjectChanges, takeText, tapeName, type WrittenTake } from './tape-text.ts';
import { TapeWords } from './tape-words.ts';
import type { TrialFolders } from './trial-paths.ts';

/** The recording of the tool calls of one case. */
export interface Tape {
  readonly scenario: string;
  readonly case: string;
  readonly takes: readonly Take[];
}

interface ToolTapesOptions {
  readonly mode: 'record' | 'replay';
  /** Absolute. */
  readonly directory: string;
  /** The folder as messages name it. */
  readonly shownFolder: string;
  /** Those that are there when the run begins. */
  readonly tapes: readonly Tape[];
  readonly redact: Redact;
  /** The tools as they are now, by the names of the scenarios. */
  readonly subjects: ReadonlyMap<string, TapedSubject>;
}

/** A trial whose tool calls are answered from its recording. */
export interface ReplayedTape {
  readonly kind: 'replay';
  readonly lines: readonly Placed<TapeLine>[];
  readonly rules: ReplayRules;
  readonly words: TapeWords;
  /** For another process, which makes its own words of it. */
  readonly folders: TrialFolders;
  conclude(): Promise<void>;
}

export type TrialTape = RecordedTape | ReplayedTape;

/** The recordings of the tool calls of a run. */
export class ToolTapes {
  readonly #options: ToolTapesOptions;
  readonly #takes = new Map<string, readonly WrittenTake[]>();
  readonly #places = new Map<string, readonly Take[]>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ToolTapesOptions) {
    this.#options = options;
    for (const { scenario, case: caseId, takes } of options.tapes) {
      const name = tapeName(scenario, caseId);
      this.#places.set(name, takes);
      this.#takes.set(name, takes.map(withoutPlaces));
    }
  }

  /** Whether trials are answered from their recordings. */
  get isReplay(): boolean {
    return this.#options.mode === 'replay';
  }

  /** Begins to record a trial, or finds its recording; undefined where its tools are the real ones all the same. */
  open(trial: Trial, folders: TrialFolders, emit: EmitTrace, untouched?: true): TrialTape | undefined {
    const words = new TapeWords(folders, this.#options.redact);
    const own: TakeOf = { variant: trial.variant, repeat: trial.repeat, ...(untouched && { untouched }) };
    if (this.#options.mode === 'record') return new RecordedTape(words, (lines) => this.#save(trial, own, lines));
    const rules = trial.scenario.replay ?? usualReplay;
    const take = this.#takeFor(trial, own);
    if (!take) return this.#missing(trial, rules, emit);
    this.#compareTool(trial, take, rules, emit);
    const obstacle = take.lines.find((line) => line.kind === 'obstacle');
    if (obstacle?.kind === 'obstacle') {
      const message = `The tool calls of this trial cannot be replayed: ${obstacle.what} (${obstacle.place}).`;
      throw new AssayError('TOOL_REPLAY_MISS', message, { hint: 'Run it without --replay-tools.' });
    }
    const masked = take.lines.filter((line) => 'masked' in line && line.masked).length;
    const { repeat, variant, lines } = take;
    emit({ type: 'tool-tape', place: take.place, repeat, variant, masked });
    return { kind: 'replay', lines, rules, words, folders, conclude: async () => undefined };
  }

  /** That of the same variant and repeat; another agent or repeat gets the same answers of the tools. */
  #takeFor({ scenario, case: { caseId } }: Trial, { variant, repeat, untouched }: TakeOf): Take | undefined {
    const all = this.#places.get(tapeName(scenario.name, caseId)) ?? [];
    const takes = all.filter((take) => take.untouched === untouched);
    const ofVariant = takes.filter((take) => canonicalJson(take.variant) === canonicalJson(variant));
    const usable = ofVariant.length > 0 ? ofVariant : takes;
    return usable.find((take) => take.repeat === repeat) ?? usable[(repeat - 1) % usable.length];
  }

  /** Answers of another tool say nothing about this one. */
  #compareTool({ scenario }: Trial, { subject, place }: Take, { match }: ReplayRules, emit: EmitTrace): void {
    const changes = subjectChanges(subject, this.#subjectOf(scenario));
    if (changes.length === 0) return;
    const what = `The tool is not the one that was recorded at ${place}: ${changes.join('; ')}.`;
    if (match !== 'loose') throw new AssayError('TOOL_REPLAY_MISS', what, { hint: staleTapeHint });
    emit({ type: 'notice', message: `${what} The recording answers all the same, because of \`match: loose\`.` });
  }

  #subjectOf({ name }: Scenario): TapedSubject {
    return redactDeep(this.#options.subjects.get(name) ?? {}, this.#options.redact);
  }

  #missing({ scenario, case: { caseId } }: Trial, { miss }: ReplayRules, emit: EmitTrace): undefined {
    const { shownFolder } = this.#options;
    const what = `There is no recording of the tool calls of "${scenario.name}" (${caseId}) in ${shownFolder}`;
    if (miss !== 'real') throw new AssayError('TOOL_REPLAY_MISS', `${what}.`);
    emit({ type: 'notice', message: `${what}, so all of its tools are the real ones.` });
    return undefined;
  }

  /** Trials end at the same time, and several belong to one file. */
  #save({ scenario, case: { caseId } }: Trial, own: TakeOf, lines: readonly TapeLine[]): Promise<void> {
    const key = keyOf(own);
    const name = tapeName(scenario.name, caseId);
    const others = (this.#takes.get(name) ?? []).filter((take) => keyOf(take) !== key);
    const taken = { ...own, subject: this.#subjectOf(scenario), lines };
    const takes = [...others, taken].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    this.#takes.set(name, takes);
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write(scenario, caseId, name));
    return this.#writing;
  }

  async #write({ name: scenario }: Scenario, caseId: string, name: string): Promise<void> {
    const takes = this.#takes.get(name) ?? [];
    const draw = (clean: typeof takes) => headText(scenario, caseId) + clean.map(takeText).join('');
    const text = drawnOf(takes, this.#options.redact, draw);
    await writeTape(this.#options.directory, name, text);
  }
}

/** The way out where a tool is not the recorded one. */
export const staleTapeHint = 'Record it again with --record-tools, or set `match: loose` under `replay`.';

function keyOf({ variant, repeat, untouched }: TakeOf): string {
  return canonicalJson([variant, String(repeat).padStart(6, '0'), untouched ?? false]);
}

function withoutPlaces({ lines, place: _place, ...own }: Take): WrittenTake {
  return { ...own, lines: lines.map(({ place: _of, ...line }): TapeLine => line) };
}
