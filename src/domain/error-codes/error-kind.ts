/** Who has to act on an error: the person who wrote the files, or one of the parts that took part in the trial. */
export type FaultSource = 'user' | 'target' | 'agent' | 'model' | 'judge' | 'store' | 'engine';

/** A way in which something can go wrong. */
export interface ErrorKind {
  /** Describes the error in one clause. */
  readonly meaning: string;
  readonly blame: FaultSource;
  /** Exit code of the command when this ends it, or when a trial ends with it and nothing worse happened. */
  readonly exitCode: 2 | 3;
  readonly hint: string;
}

/** Errors as they are written down: by source and exit code, each with its meaning and its hint. */
export type ErrorRows = {
  readonly [Source in FaultSource]?: {
    readonly [Exit in ErrorKind['exitCode']]?: Readonly<Record<string, readonly [meaning: string, hint: string]>>;
  };
};

type ValuesOf<Rows> = Rows[keyof Rows];

/** The codes of written errors. */
type CodeIn<Rows extends ErrorRows> = {
  [Source in keyof Rows]: ValuesOf<{ [Exit in keyof Rows[Source]]: keyof Rows[Source][Exit] }>;
}[keyof Rows];

/** Written errors by their codes. */
export function errorsIn<Rows extends ErrorRows>(rows: Rows): Record<CodeIn<Rows> & string, ErrorKind> {
  const kinds = Object.entries(rows).flatMap(([blame, byExit]) =>
    Object.entries(byExit).flatMap(([exit, errors]) =>
      Object.entries(errors ?? {}).map(([code, [meaning, hint]]) => {
        return [code, { meaning, blame: blame as FaultSource, exitCode: Number(exit), hint }];
      }),
    ),
  );
  return Object.fromEntries(kinds);
}
