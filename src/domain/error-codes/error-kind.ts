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
