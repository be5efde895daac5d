declare module '*.pl?raw' {
  const text: string;
  export default text;
}

declare module '*.sh?raw' {
  const text: string;
  export default text;
}
