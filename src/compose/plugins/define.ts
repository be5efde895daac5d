import type { AgentKind } from '../../drive/agents/agent.ts';
import type { Reporter } from '../../report/reporters/reporter.ts';
import type { EvaluatorKind } from '../../score/evaluators/evaluator.ts';
import type { ConnectorPlugin, InvokedConnectorPlugin, OpenedConnectorPlugin } from './connector-plugin.ts';
import type { AssertionPlugin, EvaluatorPlugin, MetricPlugin, PreparedEvaluatorPlugin } from './evaluator-plugin.ts';
import type { ConfigSchema } from './plugin-config.ts';

/** Default export of a plug-in: parts by family. Several of them may be exported as an array. */
export interface Plugin {
  readonly evaluators?: readonly (EvaluatorPlugin | Plugin)[];
  readonly connectors?: readonly (ConnectorPlugin | Plugin)[];
  readonly agents?: readonly (AgentKind | Plugin)[];
  readonly reporters?: readonly (Reporter | Plugin)[];
}

/** An evaluator for scenarios to use: an assertion, which passes or fails, or a metric, which never fails. */
export function defineEvaluator<Kind extends EvaluatorKind, Schema extends ConfigSchema>(
  definition: PreparedEvaluatorPlugin<Kind, Schema>,
): Plugin;
export function defineEvaluator<Schema extends ConfigSchema = ConfigSchema>(
  definition: AssertionPlugin<Schema> | MetricPlugin<Schema>,
): Plugin;
export function defineEvaluator(definition: unknown): Plugin {
  return { evaluators: [definition as EvaluatorPlugin] };
}

/** A way to talk to an agent under test. */
export function defineConnector<Schema extends ConfigSchema = ConfigSchema>(
  definition: InvokedConnectorPlugin<Schema> | OpenedConnectorPlugin<Schema>,
): Plugin;
export function defineConnector(definition: unknown): Plugin {
  return { connectors: [definition as ConnectorPlugin] };
}

/** An agent that can be given tasks. */
export function defineAgent(definition: AgentKind): Plugin {
  return { agents: [definition] };
}

/** A way to write down a stored run. */
export function defineReporter(definition: Reporter): Plugin {
  return { reporters: [definition] };
}
