import { rolldown } from 'rolldown';

/**
 * `import code from './main.ts?bundled'` gives the text of a whole program for the browser; for Rolldown and Vite.
 * `plugins` are those of the inner bundle.
 */
export function bundledCode(plugins = []) {
  return {
    name: 'bundled-code',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith('?bundled')) return null;
      const bundle = await rolldown({
        input: id.slice(0, -'?bundled'.length),
        platform: 'browser',
        transform: { target: 'es2022' },
        plugins,
      });
      const { output } = await bundle.generate({ format: 'iife', minify: true });
      await bundle.close();
      return { code: `export default ${JSON.stringify(inScript(output[0].code.trim()))};`, moduleType: 'js' };
    },
  };
}

/** Code that can stand inside a script element; what would end it or open a comment stands only in string literals. */
function inScript(code) {
  return code.replace(/<(?=\/script|!--)/gi, '\\x3c');
}
