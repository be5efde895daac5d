/** Code of a browser program, bundled into one text (scripts/bundled-code.mjs). */
declare module '*?bundled' {
  const code: string;
  export default code;
}

declare module '*.css?raw' {
  const text: string;
  export default text;
}
