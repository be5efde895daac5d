import type { AgentKind } from '../../src/drive/agents/agent.ts';
import { agentKinds } from '../../src/drive/agents/index.ts';
import { connectorKinds } from '../../src/drive/connectors/index.ts';
import { importFormats } from '../../src/load/imports/formats/index.ts';
import { baselineRules } from '../../src/mcp-check/baseline.ts';
import { conformanceRules } from '../../src/mcp-check/conformance/conformance-report.ts';
import { clauseUrl, type RuleText } from '../../src/mcp-check/definitions/rule.ts';
import { featureRules } from '../../src/mcp-check/features/feature-rules.ts';
import { manifestRules } from '../../src/mcp-check/manifest/check-manifest.ts';
import { rules } from '../../src/mcp-check/rules/index.ts';
import { behaviours } from '../../src/mcp-check/session/behaviours.ts';
import { protocolRules } from '../../src/mcp-check/session/protocol-rules.ts';
import { reporters } from '../../src/report/reporters/index.ts';
import { jsonSchemaOf } from './evaluators.ts';
import { code, codes, page, section, sentence, table } from './markdown.ts';
import { mcpRuleExamples } from './mcp-rule-examples.ts';
import { keyTable } from './schema-keys.ts';

/** Every connector with its config and what it reports. */
export function connectorsPage(): string {
  return page(
    'Connectors',
    'A conversation names its agent under test as `connector: { type, baseUrl, headers, config }`, or by a name from `connectors` of the config. This page lists the types and the keys of `config`.',
    ...connectorKinds.map(({ type, summary, reports = [], configSchema }) => {
      const keys = keyTable(jsonSchemaOf(configSchema));
      return section(
        2,
        code(type),
        sentence(summary),
        reports.length > 0 ? `It reports ${codes(reports)}.` : 'It reports nothing beside the answers.',
        keys === '' ? 'It has no config.' : keys,
      );
    }),
  );
}

/** Every kind of agent: how it is installed, what it inherits and what it reports. */
export function agentsPage(): string {
  return page(
    'Agents',
    'Kinds of agents that can drive a tool. The settings of an agent are under `agents` in the [config file](config.md#agents).',
    ...agentKinds.map((kind) =>
      section(
        2,
        code(kind.name),
        sentence(kind.summary),
        table(
          ['fact', 'value'],
          [
            ['program', kind.program === null ? 'the `command` of its settings' : code(kind.program)],
            ['oldest version', kind.oldestVersion === undefined ? '' : code(kind.oldestVersion)],
            [
              'install',
              kind.install.includes(' ') && !kind.install.startsWith('npm ')
                ? sentence(kind.install)
                : code(kind.install),
            ],
            ['needs one of these keys', codes(kind.keyVariables)],
            ['inherited variables', codes(kind.inheritedVariables)],
            ['reports messages and tool calls', workText(kind)],
            ['reports kinds of actions', codes(actionKindsOf(kind))],
            ['calls of its sub-agents', subagentTexts[kind.reports.actions?.subagents ?? 'unknown']],
            ['reports tokens or cost', reportingTexts[kind.reports.usage]],
          ].filter(([, value]) => value !== ''),
        ),
      ),
    ),
  );
}

function workText({ reports: { work, actions } }: AgentKind): string {
  return actions === undefined && work !== 'unknown' ? 'its final answer only' : reportingTexts[work];
}

/** The kinds of its own tools; tools of MCP servers are recorded by Assay. */
function actionKindsOf({ reports: { actions } }: AgentKind): string[] {
  return [...new Set(Object.values(actions?.tools ?? {}))].filter((kind) => kind !== 'other' && kind !== 'mcp');
}

const subagentTexts = {
  reported: 'reported, with the name of the sub-agent',
  hidden: 'not reported',
  none: 'it has no sub-agents',
  unknown: '',
} as const;

const reportingTexts = {
  live: 'while it works',
  'at-end': 'when it ends',
  never: 'never',
  unknown: 'depends on the program',
} as const;

export function reportersPage(): string {
  return page(
    'Reporters',
    `Reports are chosen with ${code('assay run --reporter <names>')}, ${code('assay report <run> --format <names>')} or \`reporters\` in the config.`,
    table(
      ['name', 'file', 'content'],
      reporters.map(({ name, fileName, summary }) => [code(name), code(fileName), sentence(summary)]),
    ),
  );
}

export function importFormatsPage(): string {
  return page(
    'Import formats',
    `${code('assay import <files…>')} recognises the format of each file; \`--format <name>\` names it.`,
    table(
      ['format', 'file', 'reports'],
      importFormats.map(({ name, summary, reports = [] }) => [code(name), sentence(summary), codes(reports)]),
    ),
  );
}

/** Every rule of `assay mcp check`, in the order in which problems are reported. */
/** All rules of `assay mcp check`, by what they are about. */
export function mcpCheckRules(): readonly (readonly [string, readonly RuleText[]])[] {
  return [
    ['Definitions', rules],
    ['Behaviour', Object.values(behaviours)],
    ['Messages and HTTP', Object.values(protocolRules)],
    ['Resources, prompts, completions and subscriptions', Object.values(featureRules)],
    ['Changes since the baseline', Object.values(baselineRules)],
    ['Manifest for the registry', Object.values(manifestRules)],
    ['Protocol conformance', Object.values(conformanceRules)],
  ];
}

export function mcpCheckRulesPage(): string {
  return page(
    'MCP check rules',
    'Rules of `assay mcp check`. An `error` does not work, a `warning` confuses models, an `info` could be better. A `notice` is not the fault of the author: the machine, the generated arguments or the SDK kept something from working. [Precision](../explanation/mcp-check-precision.md) shows how often findings on real servers are right.',
    ...mcpCheckRules().map(([title, members]) => section(2, title, ...members.map(mcpRuleSection))),
  );
}

function mcpRuleSection({ id, severity, summary, why, fix, clause }: RuleText): string {
  const [broken = '', mended = ''] = mcpRuleExamples[id] ?? [];
  const rows = [
    ['problem', sentence(summary)],
    ['why it matters', sentence(why)],
    ['broken', code(broken)],
    ['mended', code(mended)],
    ['fix', sentence(fix)],
    ...(clause === undefined ? [] : [['specification', `[${clause.replace(/^[^/]*\//, '')}](${clauseUrl(clause)})`]]),
  ];
  return section(3, code(id), table(['severity', severity], rows));
}
