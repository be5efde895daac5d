import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Parts of a harness: how a coding agent is set up, beside its instructions and its skills. */
export type HarnessPart = 'plugins' | 'hooks' | 'subagents' | 'permission_mode' | 'settings';

/** One harness of a scenario; paths are absolute, and files with data were read. */
export const harnessSchema = lazySchema(() =>
  z.strictObject({
    plugins: z
      .array(
        z.strictObject({
          name: z.string().describe('as its manifest has it'),
          description: z.string().optional().describe('beginning of its context file, where it has one'),
          folder: z.string(),
        }),
      )
      .optional()
      .describe('plug-ins or extensions of the agent'),
    hooks: z
      .strictObject({
        folder: z.string().optional().describe('of the scripts that hooks run'),
        events: z.record(z.string(), z.array(z.unknown())).describe('in the form of the agent'),
      })
      .optional()
      .describe('commands that the agent runs at events of its work'),
    subagents: z
      .array(
        z.strictObject({
          name: z.string().describe('as its file has it'),
          description: z.string(),
          file: z.string(),
        }),
      )
      .optional()
      .describe('sub-agents that the agent may start'),
    permission_mode: z.string().optional().describe('what the agent may do without permission, in its own word'),
    settings: z.record(z.string(), z.unknown()).optional().describe('settings of the agent, in its own form'),
  }),
);
export type HarnessConfig = z.output<typeof harnessSchema>;

/** Stands for the folder of the scripts in the commands of hooks. */
export const scriptsPlace = `\${HOOKS_FOLDER}`;

/** A thing that a harness hands to an agent, which has to be seen there. */
export interface HarnessItem {
  readonly part: HarnessPart;
  /** Empty for settings. */
  readonly name: string;
  /** Text by which it is recognised in a request, where it has one. */
  readonly description?: string | undefined;
}

/** Everything that a harness hands over, one by one. */
export function harnessItems({ plugins, hooks, subagents, permission_mode, settings }: HarnessConfig): HarnessItem[] {
  return [
    ...(plugins ?? []).map(({ name, description }) => ({ part: 'plugins' as const, name, description })),
    ...Object.keys(hooks?.events ?? {}).map((name) => ({ part: 'hooks' as const, name })),
    ...(subagents ?? []).map(({ name, description }) => ({ part: 'subagents' as const, name, description })),
    ...(permission_mode === undefined ? [] : [{ part: 'permission_mode' as const, name: permission_mode }]),
    ...(settings === undefined ? [] : [{ part: 'settings' as const, name: '' }]),
  ];
}

const singular: Readonly<Record<HarnessPart, string>> = {
  plugins: 'plug-in',
  hooks: 'hooks of',
  subagents: 'sub-agent',
  permission_mode: 'permission mode',
  settings: 'settings',
};

/** `sub-agent reviewer`. */
export function itemText({ part, name }: HarnessItem): string {
  return `${singular[part]} ${name}`.trim();
}

/** Files and folders of the project from which a harness is copied. */
export function harnessFiles({ plugins = [], subagents = [], hooks }: HarnessConfig): string[] {
  return [
    ...plugins.map(({ folder }) => folder),
    ...subagents.map(({ file }) => file),
    ...(hooks?.folder === undefined ? [] : [hooks.folder]),
  ];
}
