/** A file that is built into the program as its text. */
declare module '*?raw' {
  const text: string;
  export default text;
}
