import { existsSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { runShell } from '../../src/testing/support/hostile-runs.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const [tier = 'none'] = await testedTiers();
const python = '/usr/bin/python3';

/** Prints its entries, which it keeps in HOME. */
const diary = `#!/bin/sh
book="$HOME/.diary/book"
case "$1" in
  write) mkdir -p "$HOME/.diary" && echo "$2" >> "$book" ;;
  read) cat "$book" ;;
esac
`;

async function diaryProject(gates: string, state: string): Promise<string> {
  const scenario = toolScenario(gates, `isolation: ${tier}\n`).replace(
    /binary: my-tool\n.*\n/,
    `binary: bin/diary\n${state}`,
  );
  const folder = await toolProject({
    scenario,
    script: JSON.stringify({ steps: ['diary write tea', 'ln -s /etc "$HOME/.diary/link"'] }),
    files: { 'bin/diary': diary },
  });
  await chmod(join(folder, 'bin/diary'), 0o755);
  return folder;
}

describe('the room of graders', () => {
  it.skipIf(!existsSync(python))(
    'an agent that never calls the tool cannot answer for it by a Python hook',
    async () => {
      const tool = `#!${python}\nimport json\nprint(json.dumps([]))\n`;
      const hook = `import sys, os
if 'ledger' in ' '.join(sys.orig_argv):
    print('[{"to":"rent"},{"to":"food"}]', flush=True)
    os._exit(0)
`;
      const script = `place=$(${python} -c 'import site; print(site.getusersitepackages())'); mkdir -p "$place"; cp hook.py "$place/usercustomize.py"`;
      const gates = '[{ type: command_json_path, command: ledger list, path: $, assertion: len == 2 }]';
      const files = { 'template/hook.py': hook, 'template/ledger': tool };
      const setup = 'setup: { commands: [chmod +x ledger] }\n';
      const { trial, trace } = await runShell({ tier, script, gates, files, binary: './ledger', more: setup });
      expect(eventsOf(trace, 'command')).toEqual([]);
      expect(trial).toMatchObject({ outcome: 'fail', gates: [{ passed: false }] });
    },
  );

  it.skipIf(tier !== 'bubblewrap').each([
    ['', '.assay/artifacts'],
    ['artifacts: kept\n', 'kept'],
  ])('hides results in the first run too, and with a store that is elsewhere: %j', async (setting, results) => {
    const gate = `{ type: command_succeeds, command: '[ -z "$(ls -A "$ASSAY_SCENARIO_FOLDER/${results}")" ]' }`;
    const config = `agent: scripted\nagents: { scripted: { script: script.yaml } }\n${setting}`;
    const folder = await toolProject({
      scenario: toolScenario(`[${gate}]`, `isolation: ${tier}\n`),
      script: 'steps: [my-tool create]\n',
      files: { 'assay.config.yaml': config },
    });
    const oneByOne = ['--repeat', '2', '--concurrency', '1'];
    const { trials } = await runTool(folder, [...oneByOne, ...(await storeElsewhere())]);
    expect(trials.map(({ gates }) => gates)).toMatchObject([[{ passed: true }], [{ passed: true }]]);
    expect(trials.every(({ artifacts = '' }) => existsSync(join(folder, results, artifacts)))).toBe(true);
  });

  it('sees the data of a tool that keeps it in HOME where the scenario says so, and no links', async () => {
    const gates = `[{ type: command_output_contains, command: diary read, substring: tea },
      { type: command_succeeds, command: '[ ! -e "$HOME/.diary/link" ]' }]`;
    expect(onlyTrial(await runTool(await diaryProject(gates, '  state: [.diary]\n')))).toMatchObject({
      outcome: 'pass',
    });
    expect(onlyTrial(await runTool(await diaryProject(gates, '')))).toMatchObject({ outcome: 'fail' });
  });

  it('is fresh, has the project, and hides results and the files of the agent', async () => {
    const script = 'echo left > "$HOME/left"; echo left > "$TMPDIR/left"; env > seen';
    const hides =
      tier === 'bubblewrap'
        ? '[ ! -e "$(sed -n s/^HOME=//p seen)/left" ] && [ ! -e "$ASSAY_SCENARIO_FOLDER/.assay/artifacts" ]'
        : 'true';
    const gates = [
      '[ -z "$(ls -A "$HOME")" ] && [ ! -e "$TMPDIR/left" ] && [ ! -e /tmp/left ]',
      '[ -f "$ASSAY_SCENARIO_FOLDER/scenario.yaml" ]',
      hides,
    ].map((command) => ({ type: 'command_succeeds', command }));
    const { trial } = await runShell({ tier, script, gates: JSON.stringify(gates) });
    expect(trial.gates.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('passes files from post scripts to gates, and nothing from code of the work to other gates', async () => {
    const more = `scripts: { post: [{ command: 'echo kept > "$HOME/kept"' }] }\n`;
    const gates = `[{ type: command_succeeds, command: 'echo planted > "$HOME/planted"', runs: work },
      { type: command_succeeds, command: '[ -f "$HOME/kept" ] && [ ! -e "$HOME/planted" ]' }]`;
    const { trial } = await runShell({ tier, script: 'true', gates, more });
    expect(trial.gates.map(({ passed }) => passed)).toEqual([true, true]);
  });

  it('lets a Python script that judges import the modules beside it, and not those of the work', async () => {
    const files = {
      'gates/check.py': `import helper\nimport sys\nsys.exit(0 if helper.good else 1)\n`,
      'gates/helper.py': 'good = True\n',
      'template/helper.py': 'good = False\n',
    };
    const gates = '[{ type: command_succeeds, command: python3 "$ASSAY_SCENARIO_FOLDER/gates/check.py" }]';
    const { trial } = await runShell({ tier, script: 'true', gates, files });
    expect(trial.gates, JSON.stringify(trial.fault)).toMatchObject([{ passed: true }]);
  });

  it('judges the same when the trial is evaluated again', async () => {
    const script = 'echo left > "$HOME/left"; echo done > wanted';
    const gates = `[{ type: command_succeeds, command: '[ ! -e "$HOME/left" ] && grep -q done wanted' }]`;
    const { trial, folder } = await runShell({ tier, script, gates });
    expect(trial.outcome).toBe('pass');
    const again = await assay(['rescore', 'latest', '--json'], { cwd: folder });
    expect(JSON.parse(again.stdout).trials).toMatchObject([{ outcome: 'pass' }]);
  });

  it.runIf(tier === 'bubblewrap')('has the network that the evaluation declares', async () => {
    // Two lines of headings and one for the loopback.
    const interfaces = readFileSync('/proc/net/dev', 'utf8').trim().split('\n').length - 2;
    const gates =
      '[{ type: file_exists, path: ended }, { type: command_succeeds, command: test "$(wc -l < /proc/net/dev)" -gt 3 }]';
    const open = await runShell({ tier, script: 'true', gates });
    expect(
      open.trial.gates.map(({ passed }) => passed),
      JSON.stringify(open.trial.fault),
    ).toEqual([true, interfaces > 1]);
    const none = await runShell({ tier, script: 'true', gates: `${gates}\n  network: none` });
    expect(
      none.trial.gates.map(({ passed }) => passed),
      JSON.stringify(none.trial.fault),
    ).toEqual([true, false]);
    const limited = await runShell({ tier, script: 'true', gates, more: 'network: none\n' });
    expect(
      limited.trial.gates.map(({ passed }) => passed),
      JSON.stringify(limited.trial.fault),
    ).toEqual([true, false]);
  });
});
