import { running, scoring } from './commands.ts';
import type { RunOption } from './run-option.ts';

const prompting = [...running, ...scoring, 'score judge'] as const;

const usual = {
  ways: ['cli'],
  commands: ['run'],
  keptBy: ['resume'],
  distributed: true,
  section: 'Recordings',
} as const;

/** Calls of models and tools that are recorded or replayed. Folders are named on the command line only: they are written. */
export const recordingOptions = [
  {
    ...usual,
    key: 'record',
    flag: '--record <dir>',
    help: 'record every model reply in this folder',
    without: 'nothing is recorded',
    example: 'recordings',
    value: { kind: 'text' },
    commands: prompting,
    distributed: 'each worker would record into its own folder.',
  },
  {
    ...usual,
    key: 'recordDigests',
    flag: '--record-digests',
    help: 'with --record: keep prompts of agents and their tools as digests',
    value: { kind: 'switch' },
    requires: 'record',
  },
  {
    ...usual,
    key: 'replay',
    flag: '--replay <dir>',
    help: 'answer from recordings only; with --record, call the model for missing ones',
    without: 'models are called',
    example: 'recordings',
    value: { kind: 'text' },
    commands: prompting,
    keptBy: ['resume', 'again'],
  },
  {
    ...usual,
    key: 'recordTools',
    flag: '--record-tools <dir>',
    help: 'record every call of a tool in this folder',
    without: 'nothing is recorded',
    example: 'tool-calls',
    value: { kind: 'text' },
    distributed: 'workers do not have the folder of the recordings.',
    excludes: ['replayTools'],
  },
  {
    ...usual,
    key: 'replayTools',
    flag: '--replay-tools <dir>',
    help: 'answer calls of MCP servers from this folder, in place of the servers',
    without: 'tools are called',
    example: 'tool-calls',
    value: { kind: 'text' },
    keptBy: ['resume', 'again'],
    distributed: 'workers do not have the folder of the recordings.',
  },
] as const satisfies readonly RunOption[];
