/**
 * For typedoc: the catalogue of resources is data, one long literal. Its page says what it is; its
 * entries are better read in the source. And arguments that are declared as one tuple, because a
 * platform may put its context before them, are shown one by one, as an editor shows them.
 */
import {
  Converter,
  ParameterReflection,
  ReferenceType,
  ReflectionFlag,
  ReflectionKind,
} from "typedoc";

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const entry = project.getChildByName(["backend-billing", "resources"]);
    if (!entry?.type) throw new Error("The catalogue `resources` is not exported any more");
    project.removeTypeReflections(entry.type);
    entry.type = ReferenceType.createBrokenReference("Resources", project, "backend-billing");
    for (const signature of project.getReflectionsByKind(ReflectionKind.CallSignature)) {
      showArguments(project, signature);
    }
  });
}

function showArguments(project, signature) {
  const [all, another] = signature.parameters ?? [];
  if (!all?.flags.isRest || another !== undefined || all.type?.type !== "tuple") return;
  const members = all.type.elements;
  if (members.some(({ type }) => type !== "namedTupleMember")) return;
  project.removeReflection(all);
  signature.parameters = members.map(({ name, element, isOptional }) => {
    const parameter = new ParameterReflection(name, ReflectionKind.Parameter, signature);
    parameter.type = element;
    parameter.setFlag(ReflectionFlag.Optional, isOptional);
    project.registerReflection(parameter);
    return parameter;
  });
}
