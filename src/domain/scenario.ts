import type { PlacedApprovalRule } from './approval-policy.ts';
import type { Attachment } from './attachment.ts';
import type { AttackSection, PlannedAttack } from './attacks/attack-suite.ts';
import type { ScenarioCi } from './ci.ts';
import type { ServerPart } from './mcp-findings.ts';
import type { ScenarioIdentity } from './scenario-identity.ts';
import type { ToolControl } from './tool-control/mocks.ts';
import type { ReplayRules } from './tool-control/replay.ts';
import type { Variant } from './variant.ts';

/** When an assertion must hold in a conversation: after every answer, after some answer, or after the last one. */
export type When = 'every-turn' | 'eventually' | 'final';

/** A registered part that a scenario asks for, with its checked config. */
export interface PartSpec {
  readonly type: string;
  readonly config: unknown;
  /** For assertions in conversations, where the scenario says so itself. */
  readonly when?: When | undefined;
  /** For assertions about one answer of a conversation only, from 1. */
  readonly turn?: number | undefined;
  /** For evaluators: by which expressions name it. */
  readonly id?: string | undefined;
}

/** One thing to try: an input and the evaluators that judge what comes of it. */
export interface Case {
  /** Unique within its scenario, and the same in every run of the same scenario: comparisons pair by it. */
  readonly caseId: string;
  readonly input: unknown;
  readonly expected: unknown;
  /** Expected behaviour, in words. */
  readonly expectedBehavior?: string | undefined;
  /** Of its row, for people and other programs; it judges nothing. */
  readonly metadata?: unknown;
  /** Cases of one cluster resemble each other, so comparisons count the cluster; absent where none is declared. */
  readonly cluster?: string | undefined;
  /** Shared between cases that are judged alike, to compile criteria once. */
  readonly evaluators: readonly PartSpec[];
}

/** How much each layer counts in the composite score. */
export interface CompositeWeights {
  readonly gates: number;
  readonly judge: number;
  readonly interaction: number;
}

/** Task and its evaluation, independent of the file format. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  /** As the user named it: relative to the current folder where that is possible. */
  readonly file: string;
  /** Absolute; paths inside the scenario are relative to it. */
  readonly directory: string;
  /** Absolute: further files that it was read from, such as a rubric. */
  readonly files?: readonly string[] | undefined;
  readonly tags: readonly string[];
  /** Tags that a worker must have to run its trials; none where it does not matter. */
  readonly workerTags?: readonly string[] | undefined;
  readonly tier: number;
  readonly repeat: number;
  readonly timeoutMs: number;
  readonly target: PartSpec;
  /** Names something that only one trial of the run may use at a time, such as a server that remembers. */
  readonly shares?: string | undefined;
  /** For a scenario about an MCP server: the part under test. */
  readonly serverPart?: ServerPart | undefined;
  /** Who judges, where the scenario says so itself; the run decides otherwise. */
  readonly judge: {
    readonly models: readonly string[];
    /** Used where neither the scenario nor the run names a model. */
    readonly usualModel?: string | undefined;
    readonly samples: number | undefined;
    /** Outcome of a trial whose judge could not answer. */
    readonly errors?: 'error' | 'fail' | 'ignore' | undefined;
    /** Files that the judge sees. */
    readonly attachments?: readonly Attachment[] | undefined;
    /** Keys for the judge's models by provider, as they are written; `${VAR}` is expanded when a model is called. */
    readonly apiKeys?: Readonly<Record<string, string>> | undefined;
  };
  /** Each case is tried under each of them; one empty variant for a tool that is called directly. */
  readonly variants: readonly Variant[];
  /** Weights of the layers in one figure, where the scenario asks for it. */
  readonly composite: CompositeWeights | undefined;
  /** Rules for the calls of its tools; undefined where they are left alone. */
  readonly control?: ToolControl | undefined;
  /** Answers to what the agent asks for; undefined where it has no policy. */
  readonly approvals?: readonly PlacedApprovalRule[] | undefined;
  /** The attack that its file plants in every trial. */
  readonly attack?: AttackSection;
  /** Attacks by the names that its variants have for them. */
  readonly attacks?: Readonly<Record<string, PlannedAttack>> | undefined;
  /** How recorded calls answer when its tools are replayed. */
  readonly replay?: ReplayRules | undefined;
  /** How its results count in CI; it changes no verdict of a trial. */
  readonly ci?: ScenarioCi | undefined;
  readonly caseCount: number;
  /** SHA-256 of everything in the scenario and its dataset that can change a verdict. */
  readonly contentHash: string;
  /** Its task and what is under test, apart; absent where the format cannot separate them. */
  readonly identity?: ScenarioIdentity | undefined;
  /** The cases in order, read on demand because a dataset may not fit in memory. */
  cases(): AsyncIterable<Case>;
}
