import { asAssayError } from '../../../domain/errors.ts';
import type { Store } from '../store.ts';

type Method = (...given: never[]) => Promise<unknown>;

/** The same store; whatever its engine throws becomes an error of ours that blames the store. */
export function withNamedFailures(store: Store): Store {
  const wrap =
    (method: Method): Method =>
    async (...given) => {
      try {
        return await method(...given);
      } catch (error) {
        throw asAssayError(error, 'STORE_UNAVAILABLE');
      }
    };
  const methods = Object.entries(store) as [keyof Store, Method][];
  const wrapped = Object.fromEntries(methods.map(([name, method]) => [name, wrap(method)]));
  return { ...wrapped, [Symbol.asyncDispose]: store[Symbol.asyncDispose] } as unknown as Store;
}
