import type { Capability } from '../../domain/capability.ts';
import type { Message } from '../../domain/message.ts';
import type { When } from '../../domain/scenario.ts';
import type { TokenUsage } from '../../domain/usage.ts';
import type { Aggregate, Evaluate, EvaluatorKind, Reads } from '../../score/evaluators/evaluator.ts';
import type { OlderTokenUsage } from './connector-plugin.ts';
import type { ConfigOf, ConfigSchema } from './plugin-config.ts';

/** The answer that has just come. */
export interface LastInvocation {
  /** Undefined where it was not measured. */
  readonly latencyMs: number | undefined;
  /** Messages of the assistant and of its tools. */
  readonly messages: Message[];
  readonly tokenUsage?: TokenUsage | undefined;
  /** The same figures in an older spelling. */
  readonly tokensUsage?: OlderTokenUsage | undefined;
}

/** Argument of a plug-in evaluator after an answer; a copy, which it may change. */
export interface EvaluatorContext<Config = Readonly<Record<string, unknown>>> {
  /** The whole conversation so far. */
  readonly messages: Message[];
  readonly config: Config;
  readonly scenario: {
    readonly name: string;
    readonly instructions?: string | undefined;
    readonly maxMessages?: number | undefined;
  };
  readonly persona?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly lastInvocation: LastInvocation;
  /** Number of the answer, from 1. */
  readonly turn: number;
  /** Whether no further answer will come. */
  readonly isFinal: boolean;
  /** Input of the case, such as a row of a dataset. */
  readonly input: unknown;
  readonly expected: unknown;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

interface About {
  readonly reason: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The verdict of an assertion. */
export interface AssertionResult extends About {
  /** False fails the trial. */
  readonly success: boolean;
  /** From 0 to 1. */
  readonly value?: number | undefined;
}

/** The figure of a metric, which never fails a trial. */
export interface MetricResult extends About {
  readonly success?: boolean | undefined;
  readonly value: number;
}

interface Description<Schema> {
  /** The name that scenarios use. */
  readonly type: string;
  readonly label: string;
  readonly description?: string | undefined;
  readonly configSchema?: Schema | undefined;
  /** Asks it about every scenario, with an empty config, whether the scenario names it or not. */
  readonly auto?: boolean | undefined;
  /** Parts of a trace that it reads; by default everything that the target reports. */
  readonly reads?: Reads | ((config: ConfigOf<Schema>) => Reads) | undefined;
}

/** An assertion of a plug-in. */
export interface AssertionPlugin<Schema> extends Description<Schema> {
  readonly kind: 'assertion';
  /** When it must hold in a conversation, unless the scenario says so itself; by default after every answer. */
  readonly when?: When | ((config: ConfigOf<Schema>) => When) | undefined;
  evaluate(context: EvaluatorContext<ConfigOf<Schema>>): AssertionResult | Promise<AssertionResult>;
}

/** A metric of a plug-in. */
export interface MetricPlugin<Schema> extends Description<Schema> {
  readonly kind: 'metric';
  /** How the figures of several answers become one; by default the last one counts. */
  readonly aggregate?: Aggregate | undefined;
  evaluate(context: EvaluatorContext<ConfigOf<Schema>>): MetricResult | Promise<MetricResult>;
}

/** An evaluator that looks at the whole trace, may ask the judge, and prepares itself once for each config. */
export interface PreparedEvaluatorPlugin<Kind extends EvaluatorKind, Schema>
  extends Pick<Description<Schema>, 'type' | 'label' | 'auto'> {
  readonly kind: Kind;
  readonly summary: string;
  readonly needs: readonly Capability[];
  /** Parts of a trace that it reads, and how: answers that rest on what was not observed are refused. */
  readonly reads: Reads | ((config: ConfigOf<Schema>) => Reads);
  readonly configSchema: Schema;
  prepare(config: ConfigOf<Schema>): Evaluate<Kind>;
  metricName?(config: ConfigOf<Schema>): string;
  when?(config: ConfigOf<Schema>): When;
  readonly aggregate?: Aggregate;
}

/** Any evaluator of a plug-in, once its config is described. */
export type EvaluatorPlugin =
  | AssertionPlugin<ConfigSchema>
  | MetricPlugin<ConfigSchema>
  | PreparedEvaluatorPlugin<EvaluatorKind, ConfigSchema>;
