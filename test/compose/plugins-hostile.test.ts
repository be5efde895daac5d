import { describe, expect, it } from 'vitest';
import type { PartSpec } from '../../src/domain/scenario.ts';
import { runOnEngine } from '../../src/testing/support/engine-run.ts';
import { scenarioOf, tool } from '../../src/testing/support/faulty-parts.ts';
import { conversation, converse, evaluatorFile, load, loadFile } from '../../src/testing/support/plugin-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

describe('a plug-in that misbehaves in a run', () => {
  const echo = `export default { connectors: [{ type: 'echo', label: 'E', invoke: ({ messages }) => messages.at(-1).content }] };`;
  const named = (type: string): PartSpec => ({ type, config: {} });

  async function run(kind: 'assertion' | 'metric', body: string, timeoutMs?: number, connector = echo) {
    const folder = await temporaryFolder({ 'shaky.mjs': evaluatorFile('shaky', kind, body), 'echo.mjs': connector });
    const plugins = await load(folder, './shaky.mjs', './echo.mjs');
    return converse(plugins, conversation(['Hi', 'More'], [named('shaky')], timeoutMs));
  }

  it.each([
    ['throws', "() => { throw new Error('no luck') }", 'no luck'],
    ['rejects', "async () => { throw new Error('no luck') }", 'no luck'],
    ['gives junk', 'async () => 5', 'Its result must be an object, not 5.'],
  ])('is an error under its own name when an assertion %s', async (_name, body, reason) => {
    const record = await run('assertion', body);
    expect(record).toMatchObject({ outcome: 'error', reason: `shaky: ${reason}`, fault: { code: 'EVALUATOR_FAILED' } });
    expect(record?.evaluatorResults[0]?.turn).toBe(1);
  });

  it.each([
    ['throws', "() => { throw new Error('no luck') }", 'no luck'],
    ['gives junk', "async () => ({ value: 'many', reason: '' })", 'must be a number'],
  ])('counts nothing and changes nothing when a metric %s', async (_name, body, reason) => {
    const record = await run('metric', body);
    // Nothing else is asserted: a metric that broke makes neither a pass nor a figure.
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'NOTHING_ASSERTED' }, metrics: { shaky: null } });
    expect(record?.evaluatorResults[0]).toMatchObject({ type: 'shaky', success: true, value: 0 });
    expect(record?.evaluatorResults[0]?.reason).toContain(reason);
  });

  it('ends with its trial when it hangs, and the agent is not blamed', async () => {
    const record = await run('assertion', '() => new Promise(() => {})', 300);
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'EVALUATOR_FAILED', blame: 'engine' } });
    expect(record?.reason).toMatch(/^shaky: no answer within \d+ ms$/);
  });

  it('ends too when it hangs after a direct call', async () => {
    const plugins = await loadFile(evaluatorFile('shaky', 'assertion', '() => new Promise(() => {})'));
    const scenario = scenarioOf('call', { type: 'tool', config: {} }, [named('shaky')], 50);
    const { records } = await runOnEngine([scenario], { targets: [tool], evaluators: plugins.evaluators });
    expect(records.call).toMatchObject({ outcome: 'error', reason: 'shaky: no answer within 50 ms' });
  });

  it.each([
    ['throws', "() => { throw new Error('no luck') }", 'TARGET_CRASHED', 'Connector "echo": no luck'],
    ['gives junk', '() => ({ messages: 5 })', 'TARGET_OUTPUT_NOT_JSON', /no usable answer/],
    ['hangs', '() => new Promise(() => {})', 'TARGET_TIMEOUT', /No answer within/],
  ])('is a fault of the target when a connector %s', async (_name, invoke, code, message) => {
    const connector = `export default { connectors: [{ type: 'echo', label: 'E', invoke: ${invoke} }] };`;
    const record = await run('assertion', "() => ({ success: true, reason: 'fine' })", 200, connector);
    expect(record).toMatchObject({ outcome: 'error', fault: { code, blame: 'target' } });
    expect(record?.reason).toMatch(message);
  });
});
