/** Testers that have no score, and why. */
export interface Unscored {
  names: string[];
  reason: string;
}

export const unscored: readonly Unscored[] = [
  {
    names: ['CATS', 'EvoMaster', 'openapi-fuzzer', 'RESTler', 'Schemathesis', 'Tcases', 'WuppieFuzz'],
    reason: 'neither npm nor Debian offers them.',
  },
  {
    names: ['Drift', 'Hurl', 'Karate', 'wiretap'],
    reason: 'the npm package has no program in it, and downloads one from elsewhere.',
  },
  { names: ['Keploy'], reason: 'npm offers a library for it, not the program.' },
  { names: ['Microcks'], reason: 'the npm package starts a container, which needs Docker.' },
  {
    names: ['Optic'],
    reason: 'version 1.0.9 does not start with the dependencies that npm installs for it.',
  },
  { names: ['hippie-swagger', 'oatts', 'swagger-test'], reason: 'they read Swagger 2.0 only.' },
  {
    names: ['Bruno', 'gabbi', 'Hoppscotch', 'Inso', 'Pactum', 'Postman CLI', 'RestQA'],
    reason: 'they make no checks from a document, and run those that somebody has written.',
  },
  { names: ['Apidog', 'Apifox'], reason: 'the tests are kept in an account.' },
  {
    names: ['jest-openapi', 'vitest-openapi'],
    reason: 'they are chai-openapi-response-validator for other test runners.',
  },
];
