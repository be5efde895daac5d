import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import type { AssayError } from './errors.ts';

/** Result of a gate. Spellings are those of seed 002. */
export const gateResultSchema = lazySchema(() =>
  z.object({
    gate_type: z.string(),
    passed: z.boolean(),
    message: z.string(),
    detail: z.unknown().optional(),
  }),
);
export type GateResult = z.infer<typeof gateResultSchema>;

/** Report of an evaluator script of the scenario's author. */
export const scriptResultSchema = lazySchema(() =>
  z.object({
    name: z.string(),
    metrics: z.record(z.string(), z.unknown()).optional(),
    score: z.number().optional(),
    summary: z.string().optional(),
    error: z.string().optional(),
  }),
);
export type ScriptResult = z.infer<typeof scriptResultSchema>;

/** A shell command of the scenario's author that is to be run. */
export interface ScriptRequest {
  /** Absolute. */
  readonly cwd: string;
  /** Everything that the script gets as environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Unique to this script: everything that it starts is found by it, and ended with it. */
  readonly tag: string;
  /** Aborting ends the script without reporting a time-out. */
  readonly signal: AbortSignal;
  readonly stdin?: string;
}

interface PrintedText {
  readonly text: string;
  readonly truncatedBytes: number;
}

/** How a script ended and what it printed, as far as it was kept. */
export interface ScriptEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: PrintedText;
  readonly stderr: PrintedText;
  readonly durationMs: number;
}

/** A command of the scenario's author that judges the work, or follows it. */
export interface GraderRequest {
  readonly timeoutMs: number;
  /** Aborting ends the command without reporting a time-out. */
  readonly signal: AbortSignal;
  /** Variables beside those of the place. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** In the work directory with the variables of the trial, or in the folder of the scenario without them. */
  readonly place?: 'work' | 'scenario';
  /** Whether the command runs code that the agent wrote. */
  readonly runsWork?: boolean;
}

/** Numbers that a verifier gave, by their names. */
export type Rewards = Readonly<Record<string, number>>;

/** Rewards of a task that were given while the agent could still go on. */
export interface StepRewards {
  readonly reached: readonly { readonly name: string; readonly rewards: Rewards }[];
  /** Names of the steps that the agent did not get to, because a reward before them was too low. */
  readonly notReached: readonly string[];
}

/** The work that an agent left behind, where gates and scripts look at it. */
export interface EvaluatedWorkspace {
  /** Absolute: the work directory, in which commands of gates and scripts run. */
  readonly directory: string;
  /** Output of the agent, as far as it was kept. */
  readonly transcriptFile: string;
  /** The error of a trial in which a file that judges the work was changed; to be called before a command is run. */
  changedGrader?(): AssayError | undefined;
  /** The error of a trial whose agent left something for which a grader waits without end; to be called when one did. */
  endlessWork?(): AssayError | undefined;
  /** Absolute: logs that the container of the trial left; undefined where it leaves none. */
  readonly logsFolder?: string | undefined;
  /** Undefined where the verifier runs after the trial. */
  readonly stepRewards?: StepRewards | undefined;
  /** Runs a command in the room of the graders, out of reach of the agent. */
  runGrader(command: string, request: GraderRequest): Promise<ScriptEnd>;
  /** Why a gate that passes proves nothing: all of them held before the agent started. */
  readonly nothingProven?: AssayError | undefined;
}
