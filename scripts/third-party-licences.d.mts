export declare function thirdPartyLicences(folders: readonly string[]): string;
