import { isRecord } from '../../../shared/json.ts';

type Callable = (...given: unknown[]) => unknown;
type FunctionConstructor = new (...parts: string[]) => Callable;

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

/** The function of an expression, or of the body of a function with `return`. Throws a `SyntaxError` for anything else. */
export function compileCode(code: string, parameters: readonly string[]): Callable {
  const expression = code.trim().replace(/;+$/, '');
  try {
    return new AsyncFunction(...parameters, `return (${expression}\n);`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new AsyncFunction(...parameters, code);
  }
}

/** Whether code can be compiled; undefined, or why not. */
export function problemOfCode(code: string, parameters: readonly string[]): string | undefined {
  try {
    compileCode(code, parameters);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Calls a function with fields of its input as arguments; an expression may itself be the function. */
export function withArguments(called: Callable, parameters: readonly string[]): Callable {
  return async (input) => {
    const fields = isRecord(input) ? input : {};
    const given = parameters.map((name) => (name === 'context' ? refusingUnknown(fields[name]) : fields[name]));
    const value = await called(...given);
    return typeof value === 'function' ? (value as Callable)(...given) : value;
  };
}

/** A context of another program has more fields; code that uses one of them must not see it as undefined. */
function refusingUnknown(context: unknown): unknown {
  if (!isRecord(context)) return context;
  return new Proxy(context, {
    get(fields, name, receiver) {
      if (typeof name === 'string' && !(name in fields) && name !== 'then' && name !== 'toJSON')
        throw new Error(`\`context.${name}\` is not available; there are ${Object.keys(fields).join(', ')}`);
      return Reflect.get(fields, name, receiver);
    },
  });
}
