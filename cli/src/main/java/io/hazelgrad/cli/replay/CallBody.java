package io.hazelgrad.cli.replay;

import java.util.List;

/** The steps of a call. They see the arguments under the names {@code params}. */
record CallBody(List<String> params, List<ProgramStep> steps, String result) {}
