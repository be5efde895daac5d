import type { AgentKind, AgentReport, AgentSession } from '../../drive/agents/agent.ts';
import type { Reporter } from '../../report/reporters/reporter.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { isRecord } from '../../shared/json.ts';
import { adaptConnector, type PluginConnectorKind } from './adapt-connector.ts';
import { adaptEvaluator } from './adapt-evaluator.ts';
import type { ConnectorPlugin } from './connector-plugin.ts';
import type { EvaluatorPlugin } from './evaluator-plugin.ts';
import { foreignError } from './foreign-calls.ts';

/** The parts that a plug-in may bring, by family. */
export interface PluginParts {
  readonly evaluators: readonly Evaluator[];
  readonly connectors: readonly PluginConnectorKind[];
  readonly agents: readonly AgentKind[];
  readonly reporters: readonly Reporter[];
}

export type Family = keyof PluginParts;

/** A value that a definition must have, and what it is in words. */
type Rule = readonly [key: string, holds: (value: unknown) => boolean, wanted: string];

interface FamilyOfParts<Part> {
  /** How messages call one of them. */
  readonly word: string;
  readonly define: string;
  nameOf(part: Part): string;
  readonly rules: readonly Rule[];
  /** The part as the rest of the program knows it; throws an Error that says what is wrong with the definition. */
  adapt(definition: unknown): Part;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isName = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9@][\w.:/@-]{0,99}$/.test(value);
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === 'string');
const optional =
  (holds: Rule[1]): Rule[1] =>
  (value) =>
    value === undefined || holds(value);
const oneOf =
  (...values: readonly unknown[]): Rule[1] =>
  (value) =>
    values.includes(value);

const aName = 'a name of letters, digits and `.`, `_`, `-`, `:`, `/`';
const aText = 'a text';
const aFunction = 'a function';

const type: Rule = ['type', isName, aName];
const label: Rule = ['label', isText, aText];
const name: Rule = ['name', isName, aName];
const description: Rule = ['description', optional((value) => typeof value === 'string'), aText];
const summary: Rule = ['summary', isText, aText];

const when: Rule = [
  'when',
  optional((value) => isFunction(value) || oneOf('every-turn', 'eventually', 'final')(value)),
  '`every-turn`, `eventually` or `final`',
];

const reads: Rule = [
  'reads',
  (value) => isFunction(value) || isRecord((value as { readonly channels?: unknown } | undefined)?.channels),
  'what it reads of a trace, such as `{ channels: { answers: "exact" } }`, or a function of the config',
];

const evaluators: FamilyOfParts<Evaluator> = {
  word: 'Evaluator type',
  define: 'defineEvaluator',
  nameOf: (part) => part.type,
  rules: [
    type,
    label,
    description,
    ['kind', oneOf('assertion', 'metric'), '`assertion` or `metric`'],
    when,
    ['aggregate', oneOf(undefined, 'sum', 'last', 'max', 'mean'), '`sum`, `last`, `max` or `mean`'],
    ['auto', oneOf(undefined, true, false), 'true or false'],
  ],
  adapt(definition) {
    const isPrepared = 'prepare' in Object(definition);
    const more: readonly Rule[] = isPrepared
      ? [summary, ['prepare', isFunction, aFunction], ['needs', isTexts, 'a list of names'], reads]
      : [['evaluate', isFunction, aFunction]];
    assertRules(definition, more);
    const evaluator = adaptEvaluator(definition as EvaluatorPlugin);
    const isAuto = (definition as EvaluatorPlugin).auto === true;
    if (!isAuto || evaluator.configSchema.safeParse({}).success) return evaluator;
    throw new Error('`auto` must be false where the config cannot be empty');
  },
};

const connectors: FamilyOfParts<PluginConnectorKind> = {
  word: 'Connector type',
  define: 'defineConnector',
  nameOf: (part) => part.type,
  rules: [type, label, description, ['test', optional(isFunction), aFunction]],
  adapt(definition) {
    const isOpened = 'open' in Object(definition);
    assertRules(
      definition,
      isOpened ? [summary, ['open', isFunction, aFunction]] : [['invoke', isFunction, aFunction]],
    );
    return adaptConnector(definition as ConnectorPlugin);
  },
};

const agents: FamilyOfParts<AgentKind> = {
  word: 'Agent',
  define: 'defineAgent',
  nameOf: (part) => part.name,
  rules: [
    name,
    summary,
    ['program', (value) => value === null || isText(value), 'the name of a program, or null'],
    ['versionArguments', isTexts, 'a list of texts'],
    ['install', (value) => typeof value === 'string', aText],
    ['inheritedVariables', isTexts, 'a list of names'],
    ['keyVariables', isTexts, 'a list of names'],
    ['isScripted', oneOf(true, false), 'true or false'],
    ['drive', isFunction, aFunction],
  ],
  adapt(definition) {
    const agent = definition as AgentKind;
    const drive = async (session: AgentSession): Promise<AgentReport> => agent.drive(session);
    return {
      ...agent,
      drive: (session) =>
        drive(session).catch((thrown: unknown) => {
          throw foreignError(thrown, 'AGENT_FAILED');
        }),
    };
  },
};

const reporters: FamilyOfParts<Reporter> = {
  word: 'Reporter',
  define: 'defineReporter',
  nameOf: (part) => part.name,
  rules: [
    name,
    summary,
    ['fileName', (value) => typeof value === 'string' && /^[^/\\\0]*[^/\\\0.][^/\\\0]*$/.test(value), 'a file name'],
    ['render', isFunction, aFunction],
  ],
  adapt: (definition) => definition as Reporter,
};

/** Properties of each family. */
export const families: { readonly [Name in Family]: FamilyOfParts<PluginParts[Name][number]> } = {
  evaluators,
  connectors,
  agents,
  reporters,
};

/** Throws an Error that names the first value of a definition that is not as it must be. */
export function assertRules(definition: unknown, rules: readonly Rule[]): void {
  const values = Object(definition) as Readonly<Record<string, unknown>>;
  const broken = rules.find(([key, holds]) => !holds(values[key]));
  if (broken) throw new Error(`\`${broken[0]}\` must be ${broken[2]}`);
}
