/** Imports by specifier at run time. The bundled command line program gets its own from bin/load-program.js. */
export const importModule = (specifier: string): Promise<unknown> => import(specifier);
