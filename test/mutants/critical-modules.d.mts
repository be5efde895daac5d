export declare const criticalModules: readonly {
  readonly name: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}[];
