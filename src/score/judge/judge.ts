import type * as z from 'zod';
import type { AssayError } from '../../domain/errors.ts';
import type {
  EvidenceSource,
  JudgeAnswer,
  JudgeModeName,
  JudgeResult,
  JudgeSpending,
  Look,
} from '../../domain/judge-result.ts';
import type { JudgePrompt } from '../../domain/run-options/judge-prompt.ts';
import type { Trace } from '../../domain/trace.ts';
import type { ModelFile } from '../../drive/attachments/attached-file.ts';
import type { Model } from '../../drive/models/model.ts';
import type { Nonce } from '../../drive/models/prompting/fence.ts';
import type { Reading } from '../../drive/models/prompting/read-reply.ts';

/** Material that a scenario, workflow or rubric gives the judge to compare with. */
interface Reference {
  readonly name: string;
  readonly text: string;
}

/** Entries of a folder, or lines that hold a text; not to be quoted. */
export interface FolderView {
  readonly entries: readonly string[];
}

/** Lines of a file. */
export interface LinesView {
  readonly lines: readonly string[];
  /** Of the whole file. */
  readonly lineCount: number;
  readonly bytes: number;
}

type Refused = { readonly problem: string };

/** The work that an agent left behind, for a judge that may look: read-only, and bounded in bytes and time. */
export interface WorkFolder {
  list(path: string): Promise<FolderView | Refused>;
  read(path: string, from: number, to: number): Promise<LinesView | Refused>;
  search(path: string, wanted: string): Promise<FolderView | Refused>;
}

/** Something that a judge has looked at, with its content. */
export interface SeenLook extends Partial<FolderView>, Partial<LinesView>, Partial<Refused> {
  readonly id: string;
  readonly tool: Look['tool'];
  readonly path?: string;
  readonly wanted?: string;
  /** Number of the first line. */
  readonly firstLine?: number;
  readonly range?: string;
  /** First and last event to show without cuts, from 1. */
  readonly events?: readonly number[];
}

/** Subject of a verdict: a task and everything observed of the attempt at it. */
export interface JudgeSubject {
  /** Of the scenario or workflow. */
  readonly name: string;
  readonly task: string;
  readonly trace: Trace;
  readonly expected?: unknown;
  /** The answer handed over at the end, where the trace does not hold it as a message. */
  readonly finalText?: string | undefined;
  /** One line for each gate that failed; a judge never overturns them. */
  readonly failedGates: readonly string[];
  readonly references?: readonly Reference[] | undefined;
  /** Added by the author of the scenario, workflow or rubric; they never replace the rules. */
  readonly instructions?: readonly string[] | undefined;
  readonly testedModel?: string | undefined;
  /** Its run, where a verdict of an earlier one may be reused; undefined for repeats, which measure how verdicts vary. */
  readonly reusesBeforeRun?: string | undefined;
  /** Whose words count as evidence; by default those of agent and tools. */
  readonly evidenceFrom?: readonly EvidenceSource[] | undefined;
  /** For judges that may look; each looks on its own. Undefined where the trial has no work directory. */
  readonly openWorkFolder?: (() => WorkFolder) | undefined;
  readonly looks?: readonly SeenLook[] | undefined;
  /** Images and documents that are sent with the prompt; the references name them with their digests. */
  readonly files?: readonly ModelFile[] | undefined;
}

/** Settings of a prompt, besides its subject. */
export interface PromptSettings {
  /** Lean by default. */
  readonly prompt?: JudgePrompt | undefined;
  readonly nonce: Nonce;
  /** Removes the secrets that are known from a text. */
  redact(text: string): string;
  /** For everything inside the fence, estimated. */
  readonly tokenBudget: number;
}

/** Keeps verdicts of runs by a key that covers all they depend on. */
export interface JudgeCache {
  /** The verdict of another run than this one: within a run, each verdict is an observation. */
  read(key: string, runId: string): Promise<JudgeAnswer | undefined>;
  write(key: string, runId: string, answer: JudgeAnswer): Promise<void>;
}

/** The model that judges, and how it is prompted. */
export interface JudgeContext extends PromptSettings {
  readonly model: Model;
  readonly signal: AbortSignal;
  /** Distinguishes the samples of one model on a panel. */
  readonly seed?: number | undefined;
  /** Null: none is sent, for providers that refuse the setting. */
  readonly temperature?: number | null | undefined;
  /** Replaces the limit that a question sets for its reply. */
  readonly maxOutputTokens?: number | undefined;
  readonly asksDespiteFailedGates?: boolean | undefined;
  /** Absent unless reuse was requested. */
  readonly cache?: JudgeCache | undefined;
  /** Sent with every prompt. */
  readonly files?: readonly ModelFile[] | undefined;
}

/** A rendered prompt, with the code that knows what a reply to it means. */
export interface Question<Conclusion = JudgeConclusion> {
  readonly system: string;
  readonly user: string;
  readonly output: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  readonly maxOutputTokens: number;
  /** Conclusion from a reply, or the problem with its form. */
  read(replyText: string): Reading<Conclusion>;
}

/** Conclusion from a valid reply. */
export type JudgeConclusion = Pick<
  JudgeAnswer,
  'reason' | 'score' | 'threshold' | 'response' | 'criteria' | 'confidence' | 'fault' | 'warnings'
> & { readonly state: 'pass' | 'fail' | 'error' };

/** Renders the question about one subject. */
export type Render = (subject: JudgeSubject, settings: PromptSettings) => Question;

/** A way of asking, as the lists and the callers see it. */
export interface JudgeMode {
  readonly mode: JudgeModeName;
  readonly summary: string;
  /** Changes with every change of the wording; the version of the rules comes on top. */
  readonly promptVersion: string;
  readonly configSchema: z.ZodType;
  /** `config` has passed `configSchema`. */
  prepare(config: unknown): Render;
  /** Whether an attempt in which nothing was done must not pass; always, where a mode does not say. */
  rejectsInaction?(config: unknown): boolean;
  /** For one whose criteria can be answered in one call with those of other configs. */
  readonly sharing?: ConfigSharing | undefined;
}

/** How the criteria of several configs become those of one. */
export interface ConfigSharing {
  /** Configs with the same key show the model the same beside their criteria. */
  key(config: unknown): string;
  /** How many criteria a config has. */
  size(config: unknown): number;
  together(configs: readonly unknown[]): unknown;
  /** The part of an answer to all of them that is the answer to one. */
  own(configs: readonly unknown[], index: number, answer: JudgeAnswer): JudgeAnswer;
}

interface JudgeModeDefinition<Schema extends z.ZodType>
  extends Omit<JudgeMode, 'configSchema' | 'prepare' | 'rejectsInaction'> {
  readonly configSchema: Schema;
  prepare(config: z.output<Schema>): Render;
  rejectsInaction?(config: z.output<Schema>): boolean;
}

/** Ties the config schema of a mode to the code that receives the config. */
export function defineJudgeMode<Schema extends z.ZodType>(definition: JudgeModeDefinition<Schema>): JudgeMode {
  return definition as unknown as JudgeMode;
}

/** A mode with its config, ready to judge any number of subjects. */
export interface Judge {
  readonly mode: JudgeModeName;
  /** Without that of the rules, which answers carry. */
  readonly promptVersion: string;
  /** False where an attempt in which nothing was done may pass, as with failure criteria alone. */
  readonly rejectsInaction: boolean;
  /** For one that can share a call with others about the same subject. */
  readonly shared?: { readonly mode: JudgeMode; readonly sharing: ConfigSharing; readonly config: unknown } | undefined;
  /** Rejects only when the signal is aborted; everything else that goes wrong is an answer in state `error`. */
  ask(subject: JudgeSubject, context: JudgeContext): Promise<JudgeAnswer>;
}

/** Judge models, where the scenario names them. */
export interface JudgeChoice {
  /** Several models vote. */
  readonly models: readonly string[];
  /** Used where no model is named. */
  readonly usualModel?: string | undefined;
  /** Number of times that each model is prompted. */
  readonly samples: number | undefined;
  /** Outcome of a trial whose judge gave no answer; undefined leaves it to the run. */
  readonly errors?: JudgeErrors | undefined;
  /** Keys by provider, as the scenario writes them; they go before those of the run. */
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

/** Outcome of a trial whose judge gave no answer: it stays unjudged, it fails, or the judge does not count. */
export type JudgeErrors = 'error' | 'fail' | 'ignore';

/** Vectors of texts in their order, or why there are none. */
export type EmbeddedTexts = JudgeSpending & {
  /** `provider/model`; undefined where none is named. */
  readonly model: string | undefined;
} & (
    | { readonly vectors: readonly (readonly number[])[]; readonly error?: undefined }
    | { readonly vectors?: undefined; readonly error: AssayError }
  );

/** How evaluators reach the judge of the run. */
export interface Judging {
  /**
   * Asks, unless there is a reason not to. Rejects only when the signal is aborted; everything else that goes wrong, a
   * missing key or model included, is a result in state `error`. Only a judge that the user switched off, or whose
   * answer could change nothing, is `skipped`.
   */
  ask(judge: Judge, subject: JudgeSubject, choice: JudgeChoice, signal: AbortSignal): Promise<JudgeResult>;
  /** Embeddings by a model, or by the one of the config. Rejects only when the signal is aborted. */
  embed(texts: readonly string[], model: string | undefined, signal: AbortSignal): Promise<EmbeddedTexts>;
  /** Each judge has its own call: what is found out about a judge is found out about that call. */
  readonly asksAlone?: boolean | undefined;
  /** The rule for judges that could not answer. */
  errorsIn(choice: JudgeChoice): JudgeErrors;
  /** Takes the place of this one at the end of a trial, where questions wait for a batch. */
  readonly deferred?: Judging | undefined;
  /** Takes the place of this one at the end of a trial that has a verdict already, where another one could decide nothing. */
  readonly spared?: Judging | undefined;
}
