import { type Run, spendSteps } from './budget.ts';
import { describeValue } from './describe-value.ts';
import { type Compilation, siteOf } from './evaluate.ts';
import { functions, sequence } from './functions.ts';
import type { Invoke } from './iterations.ts';
import { Obstacle } from './obstacle.ts';
import type { Binding, Callback } from './syntax.ts';
import { readOwn } from './values.ts';

/** Compiles a callback; calling it costs as many steps as it has nodes. */
export function compileCallback(compilation: Compilation, callback: Callback): Invoke | undefined {
  switch (callback.kind) {
    case 'none':
      return undefined;
    case 'reference': {
      const call = functions.get(callback.name);
      const site = siteOf(compilation.source, callback);
      return (_scope, run, a, b, c) => {
        spendSteps(run, 2);
        return call?.([a, b, c], run, site);
      };
    }
    case 'arrow':
      return compileArrow(compilation, callback);
  }
}

function compileArrow(compilation: Compilation, { bindings, body, cost }: Callback & { kind: 'arrow' }): Invoke {
  const evaluate = compilation.compile(body);
  const [only, ...others] = bindings;
  if (only?.kind === 'slot' && others.length === 0) {
    const { slot } = only;
    return (scope, run, item) => {
      spendSteps(run, cost);
      run.slots[slot] = item;
      return evaluate(scope, run);
    };
  }
  return (scope, run, a, b, c, d) => {
    spendSteps(run, cost);
    bindArguments(bindings, [a, b, c, d], run);
    return evaluate(scope, run);
  };
}

/** Gives the parameters of a callback their values for one call. */
function bindArguments(bindings: readonly Binding[], values: readonly unknown[], run: Run): void {
  bindings.forEach((binding, position) => {
    bind(binding, values[position], run);
  });
}

function bind(binding: Binding, value: unknown, run: Run): void {
  if (binding.kind === 'slot') {
    run.slots[binding.slot] = value;
    return;
  }
  if (value === undefined || value === null) {
    throw new Obstacle(`an item is ${describeValue(value)}, so ${binding.text} cannot be read from it`);
  }
  if (binding.kind === 'fields') {
    for (const { key, target } of binding.fields) bind(target, readOwn(value, key), run);
    return;
  }
  const items = sequence(value, run, binding);
  binding.items.forEach((target, position) => {
    if (target !== undefined) bind(target, items[position], run);
  });
}
