import type { HarnessItem } from '../../../domain/harness.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { AgentSession } from '../agent.ts';
import { writeHomeFile } from '../agent-home.ts';
import { type HarnessWays, listedWay, systemLines } from '../harness.ts';
import { type JsonObject, textOf } from '../json-shapes.ts';

/** Words of a hook of ours, which stands in the file of the settings and the hooks. */
const probe = 'assay-harness-probe';

/** It prints on stderr, which the model does not get. */
const probeHook = { hooks: [{ type: 'command', command: `echo ${probe} >&2` }] };

/**
 * Events of every supported version. A hook of another event may be left out silently, so it has to run; a file with any
 * other mistake is left out whole.
 */
const eventsOfAllVersions: ReadonlySet<string> = new Set([
  'Notification',
  'PostToolUse',
  'PreCompact',
  'PreToolUse',
  'SessionEnd',
  'SessionStart',
  'Stop',
  'SubagentStop',
  'UserPromptSubmit',
]);

/** Arguments by which it gets a harness. */
export async function harnessArguments({ harness, home, approver }: AgentSession): Promise<string[]> {
  const { config = {}, pluginFolders = [], hooks = {} } = harness ?? {};
  const { settings, permission_mode: mode } = config;
  // With a policy, it asks instead of being allowed everything.
  const unrestricted = approver.hasPolicy ? [] : ['--dangerously-skip-permissions'];
  const permission = mode === undefined ? unrestricted : ['--permission-mode', mode];
  const plugins = pluginFolders.flatMap((folder) => ['--plugin-dir', folder]);
  if (settings === undefined && config.hooks === undefined) return [...permission, ...plugins];
  const all = { ...settings, hooks: { ...hooks, SessionStart: [...(hooks.SessionStart ?? []), probeHook] } };
  const file = await writeHomeFile(home, 'harness/settings.json', JSON.stringify(all));
  return [...permission, ...plugins, '--settings', file, '--include-hook-events'];
}

function hookRuns(trace: Trace): JsonObject[] {
  return systemLines(trace, 'hook_response');
}

function isProbe(run: JsonObject): boolean {
  return [run.output, run.stderr].some((printed) => textOf(printed)?.includes(probe));
}

function hookEvidence({ name }: HarnessItem, trace: Trace): string | undefined {
  const runs = hookRuns(trace).filter((run) => run.hook_event === name && !isProbe(run));
  if (runs.length > 0) return `ran, ${runs.length} times`;
  if (!eventsOfAllVersions.has(name) || !hookRuns(trace).some(isProbe)) return undefined;
  return 'its file was loaded; the hook did not run';
}

/** How Claude Code gets each part, and where its output shows it. */
export const claudeHarness: HarnessWays = {
  plugins: listedWay('plugins', 'harness/plugins'),
  subagents: listedWay('agents', '.claude/agents'),
  permission_mode: listedWay('permissionMode'),
  hooks: { folder: 'harness/hooks', reported: hookEvidence },
  settings: {
    reported(_item, trace, { settings }) {
      const style = settings?.outputStyle;
      const isOther = ({ output_style: reported }: JsonObject): boolean => style !== undefined && reported !== style;
      if (systemLines(trace, 'init').some(isOther)) return undefined;
      return hookRuns(trace).some(isProbe) ? 'a hook in its file ran' : undefined;
    },
  },
};
