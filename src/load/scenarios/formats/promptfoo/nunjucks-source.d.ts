// The parts of nunjucks that run no code of a template: its parser, its filters and its tests.

declare module 'nunjucks/src/parser.js' {
  export interface TemplateNode {
    readonly typename: string;
    /** Both from 0. */
    readonly lineno: number;
    readonly colno: number;
    readonly children: readonly TemplateNode[];
    readonly [field: string]: unknown;
  }

  const parser: { parse(template: string): TemplateNode };
  export default parser;
}

declare module 'nunjucks' {
  const nunjucks: {
    readonly Environment: new (
      loader: null,
      options: { readonly autoescape: boolean },
    ) => { renderString(template: string, vars: object): string };
  };
  export default nunjucks;
}

declare module 'nunjucks/src/filters.js' {
  const filters: Readonly<Record<string, (this: unknown, ...args: unknown[]) => unknown>>;
  export default filters;
}

declare module 'nunjucks/src/tests.js' {
  const tests: Readonly<Record<string, (this: unknown, ...args: unknown[]) => unknown>>;
  export default tests;
}

declare module 'nunjucks/src/runtime.js' {
  const runtime: {
    makeKeywordArgs(values: object): object;
    inOperator(value: unknown, whole: unknown): boolean;
    fromIterator(items: unknown): unknown;
  };
  export default runtime;
}
