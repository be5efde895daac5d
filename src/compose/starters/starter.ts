interface StarterFile {
  readonly path: string;
  readonly purpose: string;
  readonly text: string;
  readonly isExecutable?: boolean;
}

/** A starter project that `assay init` writes. */
export interface Starter {
  readonly kind: string;
  readonly summary: string;
  readonly files: readonly StarterFile[];
}
