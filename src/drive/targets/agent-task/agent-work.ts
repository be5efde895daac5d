import type { EvaluatedWorkspace } from '../../../domain/gate.ts';
import type { IsolationTier } from '../../../domain/isolation-tier.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import type { Usage } from '../../../domain/usage.ts';
import type { Redacted } from '../../../shared/redaction/redacted.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import type { Agents } from '../../agents/agent.ts';
import type { Gateway } from '../../gateway/open-gateway.ts';
import type { CallLimits } from '../../gateway/purses.ts';
import type { TapeOptions } from '../../gateway/tape/session-tape.ts';
import type { ShimProbes } from '../../interposer/choose-shim.ts';
import type { Network } from '../../network/network-policy.ts';
import type { Isolation } from '../../workspace/isolation.ts';

/** Places of the project and the user, absolute. */
export interface GraderPlaces {
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
}

/** USD for a request to a model; undefined where no price is known. */
export type CostOf = (model: string, usage: Usage) => number | undefined;

/** Changes a text that comes in pieces. */
interface TextFilter {
  push(piece: string): Redacted;
  end(): Redacted;
}

/** A limit on spending that several trials share. */
export interface Budget extends NonNullable<CallLimits['run']> {
  /** Throws an AssayError when nothing is left. */
  assertLeft(): void;
  /** Counts spending; returns whether something is left. */
  spend(usd: number): boolean;
}

/** Which gates hold on a work directory, looked at in order until one does not. */
export interface GateProof {
  readonly held: readonly string[];
  readonly allHold: boolean;
  /** Whether one of them is about how the agent works: it can fail once the agent uses the tool. */
  readonly hasConduct: boolean;
}

/** Looks at the gates of a trial before an agent has done anything. */
export interface GateProver {
  /** Whether gates alone decide the trial. */
  isDecisive(trial: Trial): boolean;
  measure(trial: Trial, trace: Trace, workspace: EvaluatedWorkspace): Promise<GateProof>;
}

/** The image of the container tier; the project's where neither is set. */
interface ImageSource {
  readonly image?: string | undefined;
  /** Absolute. */
  readonly dockerfile?: string | undefined;
  readonly buildTimeoutSecs?: number | undefined;
}

/** Everything a target needs to let agents work. */
export interface AgentWork {
  readonly agents: Agents;
  /** Program and arguments that start this Assay, by absolute paths. */
  readonly program: readonly [string, ...string[]];
  /** Absolute. */
  readonly projectFolder: string;
  /** Absolute; every trial has its own folder in it. */
  readonly artifactsFolder: string;
  /** Absolute: what trials must not read besides the project, the scenario and other trials. */
  readonly hidden: readonly string[];
  /** Absolute: what trials may read although it lies in a hidden place. */
  readonly visible: readonly string[];
  /** Places that graders may read although agents may not, and places that even they may not read. */
  readonly graderPlaces: GraderPlaces;
  /** SHA-256 of files by path and identity, shared by all trials of the run. */
  readonly fileHashes: Map<string, string>;
  /** Hidden places that programs need, by program and view, shared by all trials of the run. */
  readonly triedInView: Map<string, Promise<readonly string[]>>;
  /** Which shims work on this machine, shared by all trials of the run. */
  readonly shims: ShimProbes;
  /** Absolute path of a folder for the trial, which no other trial has; it is not made yet. */
  folderOf(trial: Trial): string;
  /** Network of agents, unless the scenario sets another. */
  readonly network: Network;
  findIsolation(wanted: IsolationTier | 'auto', image?: ImageSource): Promise<Isolation>;
  /** The proxy between agents and their models: one for the run, started on first use. */
  openGateway(): Promise<Gateway>;
  /** Where the model calls of agents are recorded and replayed from; undefined where every call is made. */
  readonly recordings?: TapeOptions | undefined;
  /** Prices of models, loaded on first use. */
  openPrices(): Promise<CostOf>;
  /** Takes secrets out of a text. */
  readonly redact: Redact;
  /** Takes secrets out of a text that comes in pieces. */
  redactStream(): TextFilter;
  /** Limit that all trials of the run share; undefined where there is none. */
  readonly budget: Budget | undefined;
  /** Set where no agent works, to see which gates hold without it. */
  readonly untouched?: true | undefined;
  /** Undefined where it need not be proven that a trial can fail. */
  readonly proveGates?: GateProver | undefined;
}
