import packageJson from '../../package.json' with { type: 'json' };

/** The version of this Assay. */
export const version: string = packageJson.version;
