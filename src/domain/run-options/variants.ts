import { running } from './commands.ts';
import type { RunOption } from './run-option.ts';

const kept = ['resume', 'again'] as const;

const usual = {
  ways: ['cli', 'api', 'mcp', 'form'],
  commands: running,
  keptBy: kept,
  distributed: true,
  section: 'Agents and models',
} as const;

/** Who drives the tools, which of their variants are tried, and who judges. */
export const variantOptions = [
  {
    ...usual,
    key: 'agents',
    flag: '--agent <names>',
    aliases: [{ flag: '--tool <names>' }, { flag: '--tools <names>' }],
    label: 'Agents',
    help: 'coding agents to run, such as `claude-code`',
    without: 'those of the scenario, then `agent` of the config, then the only one that is installed',
    example: 'claude-code,codex',
    value: { kind: 'names' },
    common: true,
  },
  {
    ...usual,
    key: 'models',
    flag: '--model <names>',
    aliases: [{ flag: '--models <names>' }],
    label: 'Models',
    help: 'models for the agents, as provider/model',
    without: 'those of the scenario, then those of the agent',
    example: 'anthropic/claude-sonnet-4-5',
    value: { kind: 'names' },
    common: true,
  },
  {
    ...usual,
    key: 'profile',
    flag: '--profile <name>',
    help: 'use the agents and models of this config profile',
    without: 'the agents and models of the scenarios',
    example: 'nightly',
    value: { kind: 'text' },
    ways: ['cli', 'api', 'mcp'],
    excludes: ['agents', 'models'],
  },
  {
    ...usual,
    key: 'targetBinary',
    flag: '--target-binary <path>',
    help: 'test this program instead of the one in the scenarios',
    without: 'the program of the scenario',
    example: './build/shop',
    value: { kind: 'text' },
    // A program that is named over the network would be run.
    ways: ['cli'],
  },
  {
    ...usual,
    key: 'connectors',
    flag: '--connector <names>',
    label: 'Connectors',
    help: 'names of connectors to conversational agents',
    without: 'the connectors of the scenario',
    example: 'staging',
    value: { kind: 'names' },
    common: true,
  },
  {
    ...usual,
    key: 'connectorUrl',
    flag: '--connector-url <url>',
    help: 'override the URL of the connectors',
    without: 'the URL of the connector',
    example: 'http://127.0.0.1:8080/chat',
    value: { kind: 'text' },
    // The keys of a connector would be sent to any URL that is named over the network.
    ways: ['cli'],
  },
  {
    ...usual,
    key: 'arms',
    flag: '--arm <part=names>',
    help: 'run only these variants of the files, such as guidance=v1',
    without: 'all variants',
    example: 'guidance=v1,v2',
    value: { kind: 'structure', name: 'arms' },
    commands: ['run'],
  },
  {
    ...usual,
    key: 'experiment',
    help: 'run variants in rounds until they can be distinguished; `maxUsd` limits all rounds together',
    without: 'one round',
    example: '{ "by": "guidance" }',
    value: { kind: 'structure', name: 'experiment' },
    // On the command line it is `assay experiment`; in the pages it has its own dialog.
    ways: ['api', 'mcp'],
    commands: [],
    keptBy: [],
    distributed: 'each round depends on the results before it.',
    excludes: ['repeat'],
  },
  {
    ...usual,
    key: 'attacks',
    help: 'plant attacks in what tools return',
    without: 'no attacks',
    example: '{ "suites": ["core"], "names": [], "places": [] }',
    value: { kind: 'structure', name: 'attacks' },
    // On the command line it is `assay attack`.
    ways: ['api', 'mcp'],
    commands: [],
  },
] as const satisfies readonly RunOption[];
