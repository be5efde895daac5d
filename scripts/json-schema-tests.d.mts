export declare function findJsonSchemaTests(): string | undefined;
