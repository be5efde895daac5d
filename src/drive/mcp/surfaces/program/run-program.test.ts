import { describe, expect, it } from 'vitest';
import { AssayError } from '../../../../domain/errors.ts';
import { type ProgramAnswer, runProgram } from './run-program.ts';

interface Run {
  readonly answer?: (tool: string, input: unknown) => Promise<ProgramAnswer>;
  readonly computeMs?: number;
  readonly signal?: AbortSignal;
}

async function run(code: string, { answer, computeMs, signal }: Run = {}) {
  const calls: string[] = [];
  const outcome = await runProgram({
    code,
    callTool: async (tool, input) => {
      calls.push(`${tool} ${JSON.stringify(input)}`);
      return answer ? answer(tool, input) : { value: { result: 5 } };
    },
    signal: signal ?? new AbortController().signal,
    ...(computeMs !== undefined && { computeMs }),
  });
  return { ...outcome, calls };
}

describe('a program', () => {
  it('calls tools in its order, computes with their results, and returns a value', async () => {
    const code = `
      const sums = await Promise.all([1, 2].map((a) => tools.add({ a, b: 1 })));
      console.log('sums', sums);
      return { total: sums.reduce((sum, { result }) => sum + result, 0) };`;
    expect(await run(code)).toMatchObject({
      value: { total: 10 },
      lines: ['sums [{"result":5},{"result":5}]'],
      calls: ['add {"a":1,"b":1}', 'add {"a":2,"b":1}'],
    });
  });

  it('catches the error of a tool, or ends with it', async () => {
    const answer = async () => ({ error: 'cannot divide by zero' });
    expect(await run('try { await tools.divide({}) } catch (e) { return e.message }', { answer })).toMatchObject({
      value: 'cannot divide by zero',
    });
    expect(await run('await tools["a-b"]()', { answer })).toMatchObject({
      error: 'Error: cannot divide by zero',
      calls: ['a-b {}'],
    });
  });

  it('ends the run where the server broke', async () => {
    const fault = new AssayError('MCP_SERVER_DIED', 'It ended.');
    await expect(run('await tools.x()', { answer: () => Promise.reject(fault) })).rejects.toBe(fault);
  });

  it.each([
    ['return 1 +', /^SyntaxError/],
    ['}); (async () => {', /ends its own function|SyntaxError/],
    ['return import("node:fs")', /^`import` is not available/],
    ['return import.meta', /SyntaxError|not available/],
    ['throw 5', /^thrown: 5/],
    ['while (true);', /ran for more than 1000 ms/],
    ['await new Promise(() => {})', /ran for more than 1000 ms|ended without a result/],
    ['const a = []; while (true) a.push("x".repeat(1e6) + a.length)', /too much memory|ran for|stopped/],
    ['for (let i = 0; i < 300; i++) tools.x({ i })', /more than 200 calls/],
    ['return "x".repeat(2e6)', /too long/],
    ['const f = () => f(); f()', /RangeError/],
    [`return ${'x'.repeat(60_000)}`, /more than 50000 characters/],
  ])('that cannot end well says why: %s', async (code, error) => {
    const outcome = await run(code, { computeMs: 1_000 });
    expect(outcome.value).toBeUndefined();
    expect(outcome.error).toMatch(error);
  });

  it('is stopped with the trial', async () => {
    const controller = new AbortController();
    const answer = () => new Promise<ProgramAnswer>(() => controller.abort(new Error('time is up')));
    const stopped = runProgram({ code: 'await tools.x()', callTool: answer, signal: controller.signal });
    const end = Promise.race([stopped, new Promise((resolve) => controller.signal.addEventListener('abort', resolve))]);
    await end.catch(() => undefined);
    expect(controller.signal.aborted).toBe(true);
  });
});

/** Ways out of a realm that are known; each returns what it got hold of. */
const escapes = [
  'return typeof process + typeof require + typeof fetch + typeof module + typeof setTimeout',
  'return globalThis.constructor.constructor("return process")().pid',
  'return (async () => {}).constructor("return process")()',
  'return tools.constructor.constructor("return process")().pid',
  'return console.log.constructor("return process")().pid',
  'try { null.x } catch (e) { return e.constructor.constructor("return process")().pid }',
  'const f = () => { try { f() } catch (e) { return e.constructor.constructor("return process")().pid } }; return f()',
  'const f = () => { try { tools.x(); f() } catch (e) { return e.constructor.constructor("return globalThis.process")() } }; return f()',
  'Error.prepareStackTrace = (_, sites) => sites; return new Error().stack.map((s) => String(s.getFunction()))',
  'return eval("1")',
  'return new Function("return 1")()',
  'const p = new Proxy({}, { get: (_, k) => { throw k } }); await tools.x(p); return 1',
  'Promise.prototype.then = function () { return this.constructor.constructor("return process")().pid }; await tools.x()',
  'return typeof ArrayBuffer + typeof WebAssembly + typeof Atomics + typeof SharedArrayBuffer',
  'const r = await tools.x(); return r.constructor.constructor("return process")().pid',
];

describe('a program cannot leave its realm', () => {
  it.each(escapes)('%s', async (code) => {
    const { value, error } = await run(code, { computeMs: 2_000 });
    if (error === undefined) expect(JSON.stringify(value)).toMatch(/^(null|"(undefined)+")$/);
    else expect(error).toMatch(code.includes('prototype.then') ? /Error|ran for/ : /Error|thrown|calls/);
  });
});
