import type { Problem } from '../../../../domain/problem.ts';
import { listedFaults } from '../../../../domain/tool-control/faults.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { faultProblems } from '../faults-section.ts';
import type { NamedConnector } from './connectors-section.ts';
import type { ConversationFile } from './conversation-schema.ts';

/** Rules for calls that the conversation cannot have: only tools of a `toolLoop` and bare models are in Assay's hands. */
export function controlProblems(
  file: ConversationFile,
  connectors: readonly NamedConnector[],
  source: ParsedSource,
): Problem[] {
  const hasLoop = connectors.length > 0 && connectors.every(({ spec }) => spec.toolLoop);
  const ofTools = (['tools', 'replay', 'attack'] as const).filter((key) => file[key] !== undefined && !hasLoop);
  return [
    ...ofTools.map((key) => ({
      at: source.locateKey([], key),
      message: `\`${key}\` is about tools that Assay runs, and not every connector has a \`toolLoop\``,
      hint: `Give the connector a \`toolLoop\`, or remove \`${key}\`.`,
    })),
    ...(hasLoop ? unknownMocks(file, connectors, source) : []),
    ...faultProblemsOf(file, connectors, hasLoop, source),
  ];
}

/** Names of the tools that Assay runs; undefined where a server has some that are known only in the run. */
function toolNames(connectors: readonly NamedConnector[]): readonly string[] | undefined {
  const tools = connectors.flatMap(({ spec }) => spec.toolLoop?.tools ?? []);
  if (tools.some(({ name, only }) => name === undefined && only === undefined)) return undefined;
  return [...new Set(tools.flatMap(({ name, only = [] }) => (name === undefined ? only : [name])))];
}

function unknownMocks({ tools }: ConversationFile, connectors: readonly NamedConnector[], source: ParsedSource) {
  const names = toolNames(connectors);
  const unknown = names ? Object.keys(tools ?? {}).filter((name) => !names.includes(name)) : [];
  return unknown.map((name) => ({
    at: source.locateKey(['tools'], name),
    message: `there is no tool "${name}"`,
    hint: didYouMean(name, names ?? []) ?? `Known: \`${names?.join('`, `')}\`.`,
  }));
}

/** An agent behind a connector prompts its model where Assay does not see it; a bare model is prompted by Assay. */
function faultProblemsOf(
  { faults }: ConversationFile,
  connectors: readonly NamedConnector[],
  hasLoop: boolean,
  source: ParsedSource,
): Problem[] {
  if (!faults) return [];
  const other = connectors.find(({ spec }) => spec.type !== 'model');
  const breaksModel = listedFaults(faults).some(({ fault: { border = 'model' } }) => border === 'model');
  if (other && breaksModel)
    return [
      {
        at: source.locateKey([], 'faults'),
        message: `\`faults\` break requests to a model that Assay prompts itself, and the connector "${other.name}" is of the type \`${other.spec.type}\``,
        hint: `Use connectors of the type \`model\`, ${hasLoop ? 'write `border: mcp` to break calls of tools, ' : ''}or remove \`faults\`.`,
      },
    ];
  const loop = hasLoop ? { mcp: { tools: toolNames(connectors), servers: ['toolLoop'], hasMocked: true } } : {};
  return faultProblems(faults, { usual: 'model', model: { isBare: true }, ...loop }, source);
}
