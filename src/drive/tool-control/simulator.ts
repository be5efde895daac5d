import type { ErrorCode } from '../../domain/errors.ts';

/** A call that a model is to answer in place of a tool. */
export interface SimulatedCall {
  readonly tool: string;
  /** Of the calls of this tool in the trial, from 1. */
  readonly number: number;
  /** Of the mock that has the call answered by a model. */
  readonly place: string;
  readonly input: unknown;
  /** The tool as its server lists it; undefined where no client listed it. */
  readonly definition?: unknown;
}

/** Why a model could not play a tool: the trial cannot be judged, and its trace says so already. */
export interface FailedSimulation {
  readonly kind: 'failed';
  readonly code: ErrorCode;
  readonly why: string;
}

/** Plays tools of one server or the programs of a scenario. Never rejects; the signal ends a call that was given up. */
export interface Simulator<Answer> {
  answer(call: SimulatedCall, signal: AbortSignal): Promise<Answer | FailedSimulation>;
}

/** The answer of a simulated tool. */
export type SimulatedResult =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: string };

/** Output and files of a simulated program. */
export interface SimulatedOutput {
  readonly kind: 'output';
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** By path from the folder of the call; null for a file that is removed. */
  readonly files: Readonly<Record<string, string | null>>;
}

export type ToolSimulator = Simulator<SimulatedResult>;
export type ProgramSimulator = Simulator<SimulatedOutput>;

/** Why a simulated tool has no answer outside of a run. */
export const withoutRun = 'is simulated by a model, which only a run has';
