import { register } from 'node:module';

/** For `node --import`: programs that load the keyring package get the one of the tests. */
const fake = new URL('./keyring-package.mjs', import.meta.url).href;
const hooks = `export const resolve = (specifier, context, next) =>
  specifier === '@napi-rs/keyring' ? { url: ${JSON.stringify(fake)}, shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
